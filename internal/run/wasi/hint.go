package wasi

// A Hint is for the user who may wonder why something was refused: what was, and how it is granted, by those who use the
// command and by those who embed it.
type Hint struct {
	What  string // the operation and why it was refused
	Flag  string // a clause that names the flag; empty: none grants it
	Field string // a clause that names the field of gyr.Config
}

// ForCommand is the hint for the user of the command.
func (h Hint) ForCommand() string { return h.with(h.Flag) }

// ForHost is the hint for who embeds the package.
func (h Hint) ForHost() string { return h.with(h.Field) }

func (h Hint) with(how string) string {
	if how == "" {
		return h.What
	}
	return h.What + "; " + how
}

// stdReads are files that the standard library looks for on its own account and does well without: a program that failed
// did not fail because of them.
var stdReads = map[string]bool{
	"/etc/hosts": true, "/etc/services": true, "/etc/protocols": true, "/etc/resolv.conf": true, "/etc/nsswitch.conf": true,
	"/etc/mime.types": true, "/etc/apache2/mime.types": true, "/etc/apache/mime.types": true, "/etc/httpd/conf/mime.types": true,
	"/usr/share/mime/globs2": true, "/usr/local/share/mime/globs2": true,
}

// How what a guest asks for is granted.
var (
	grantDir   = Hint{Flag: "-dir host[:guest][:ro] grants one", Field: "Config.Dirs grants one"}
	grantWrite = Hint{Flag: "-dir without :ro allows it", Field: "a Dir of Config.Dirs without ReadOnly allows it"}
	grantOther = Hint{
		Flag:  "grant the directory that it leads to with -dir host[:guest][:ro]",
		Field: "grant the directory that it leads to in Config.Dirs",
	}
	noGrant Hint
)
