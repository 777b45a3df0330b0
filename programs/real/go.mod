module github.com/gyrvm/gyr/programs/real

go 1.26.0

require (
	github.com/corentings/chess/v2 v2.3.2
	github.com/dop251/goja v0.0.0-20260917113740-793a2a65c13b
	github.com/go-pdf/fpdf v0.9.0
	github.com/go-python/gpython v0.2.0
	github.com/hajimehoshi/go-mp3 v0.3.4
	github.com/hashicorp/golang-lru/v2 v2.0.7
	github.com/tdewolff/minify/v2 v2.24.25
	github.com/yuin/goldmark v1.8.7
)

require (
	github.com/dlclark/regexp2/v2 v2.5.2 // indirect
	github.com/go-sourcemap/sourcemap v2.1.3+incompatible // indirect
	github.com/google/pprof v0.0.0-20230207041349-798e818bf904 // indirect
	github.com/google/renameio/v2 v2.0.0 // indirect
	github.com/rogpeppe/go-internal v1.14.1 // indirect
	github.com/tdewolff/parse/v2 v2.8.20 // indirect
	golang.org/x/exp v0.0.0-20250128182459-e0ece0dbea4c // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/term v0.32.0 // indirect
	golang.org/x/text v0.3.8 // indirect
	golang.org/x/tools v0.38.0 // indirect
	mvdan.cc/editorconfig v0.3.0 // indirect
	mvdan.cc/sh/v3 v3.12.0 // indirect
)

tool (
	golang.org/x/tools/cmd/goyacc
	mvdan.cc/sh/v3/cmd/shfmt
)
