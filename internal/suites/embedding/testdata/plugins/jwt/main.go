package main

import (
	"fmt"

	"github.com/golang-jwt/jwt/v5"
)

func main() {
	key := []byte("secret")
	s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": "gyr"}).SignedString(key)
	if err != nil {
		panic(err)
	}
	t, err := jwt.Parse(s, func(*jwt.Token) (any, error) { return key, nil })
	fmt.Println(t.Claims, err)
}
