//go:build !amd64

package amd64

var hasSHA, hasVPCLMULQDQ = false, false
