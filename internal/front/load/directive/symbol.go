package directive

import "strings"

// SplitSymbol splits "path.name", "path.T.name" and "path.(*T).name".
func SplitSymbol(sym string) (path, recv, name string) {
	i := strings.LastIndexByte(sym, '/') + 1
	dot := strings.IndexByte(sym[i:], '.')
	if dot < 0 {
		return "", "", sym
	}
	path, rest := sym[:i+dot], sym[i+dot+1:]
	if r, n, ok := strings.Cut(rest, "."); ok {
		return path, strings.Trim(r, "(*)"), n
	}
	return path, "", rest
}
