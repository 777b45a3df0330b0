//go:build !amd64

package main

const isAMD64 = false
