package ledger

import "errors"

// Richest returns the account with the most coins: the first one by name of those with as many.
func Richest() (name string, coins int64, err error) {
	for n, a := range accounts {
		if c := a.holding().Coins; name == "" || c > coins || c == coins && n < name {
			name, coins = n, c
		}
	}
	if name == "" {
		return "", 0, errors.New("nobody has an account")
	}
	return name, coins, nil
}
