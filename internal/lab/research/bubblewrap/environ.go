package bubblewrap

import (
	"os"
	"slices"
	"strings"
)

// variables are the variables of the driver's environment that a box gets: those that builds and
// programs depend on everywhere, and no credentials. A name that ends in a star is a prefix.
var variables = []string{
	"PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "SOURCE_DATE_EPOCH",
	"GOFLAGS", "GOROOT", "GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM",
	"GOEXPERIMENT", "GODEBUG", "GOFIPS140", "GO111MODULE", "GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GOTRACEBACK",
	"CGO_*", "CC", "CXX", "AR", "FC", "PKG_CONFIG", "PKG_CONFIG_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "LD_LIBRARY_PATH",
}

// Variable reports whether a box gets a variable of the driver's environment.
func Variable(name string) bool {
	return slices.ContainsFunc(variables, func(x string) bool {
		begin, many := strings.CutSuffix(x, "*")
		return x == name || many && strings.HasPrefix(name, begin)
	})
}

// Home is the home directory inside, which is empty.
func Home() string {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(home, "/") && home != "/" && home != "/tmp" {
		return home
	}
	return "/home/box"
}
