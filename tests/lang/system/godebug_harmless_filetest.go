//go:build ignore

package main

// Values of settings that are removed sooner or later, but for old ones.
func main() { println("runs") }

// Env: GODEBUG=nonsense,tls3des=0,x509sha1=0,tlskyber=1,gotypesalias=1,tlsunsafeekm=0,tlsrsakex=0,tls10server=0,x509keypairleaf=1,asynctimerchan=0

// Stderr:
// runs
