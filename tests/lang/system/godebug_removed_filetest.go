//go:build ignore && go1.27

package main

func init() { println("not reached") }

func main() { println("not reached") }

// Env: GODEBUG=nonsense,panicnil=1,tls3des=0,asynctimerchan=2,gotypesalias=0

// Error:
// fatal error: removed GODEBUG "asynctimerchan" set to old value "2" in environment (https://go.dev/doc/godebug#go-127)
