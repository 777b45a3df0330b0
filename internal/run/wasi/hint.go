package wasi

// A Hint tells the user why something was refused: what it was, and how to grant it, for users of
// the command and for embedders.
type Hint struct {
	What  string // the operation and why it was refused
	Flag  string // a clause that names the flag; empty: no flag grants it
	Field string // a clause that names the field of gyr.Config

	Need  Need
	Name  string // of the variable, or the guest's path
	Quiet bool   // it is not for users: the program may well have expected it
}

// A Need is the kind of grant that a guest did not have.
type Need uint8

const (
	NeedOther Need = iota
	NeedEnv        // a variable
	NeedRead       // a path without a granted directory
	NeedWrite      // write access to a path of a directory that is granted read-only
)

// ForCommand returns the hint for the user of the command.
func (h Hint) ForCommand() string { return h.with(h.Flag) }

// ForHost returns the hint for embedders.
func (h Hint) ForHost() string { return h.with(h.Field) }

func (h Hint) with(how string) string {
	if how == "" {
		return h.What
	}
	return h.What + "; " + how
}

// stdReads are files that the standard library itself looks for and does not need. A missing one is
// not the reason why a program failed.
var stdReads = map[string]bool{
	"/etc/hosts": true, "/etc/services": true, "/etc/protocols": true, "/etc/resolv.conf": true, "/etc/nsswitch.conf": true,
	"/etc/mime.types": true, "/etc/apache2/mime.types": true, "/etc/apache/mime.types": true, "/etc/httpd/conf/mime.types": true,
	"/usr/share/mime/globs2": true, "/usr/local/share/mime/globs2": true,
}

// How to grant the requests of a guest.
var (
	grantDir   = Hint{Need: NeedRead, Flag: "-dir host[:guest][:ro] grants one", Field: "Config.Dirs grants one"}
	missing    = Hint{Need: NeedRead, Quiet: true} // in a directory of the guest's own
	grantWrite = Hint{Need: NeedWrite, Flag: "-dir without :ro allows it", Field: "a Dir of Config.Dirs without ReadOnly allows it"}
	grantOther = Hint{
		Flag:  "grant the directory that it leads to with -dir host[:guest][:ro]",
		Field: "grant the directory that it leads to in Config.Dirs",
	}
	noGrant Hint
)
