//go:build !go1.27

package runtime

// Settings of GODEBUG that Go 1.27 has no more.

// asynctimerchan is the setting of that name, other than 0.
var asynctimerchan bool

func applyRemoved() {
	v := godebugGet("asynctimerchan")
	asynctimerchan = v != "" && v != "0"
}

func fromSnapshot() {}
func startenv()     {}
