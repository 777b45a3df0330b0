package net

import (
	"context"
	"syscall"
)

// gyrNetworkError says why nothing outside of the program can be reached. It is ENETUNREACH for those who ask.
type gyrNetworkError struct{}

func (gyrNetworkError) Error() string { return "no network is granted to this program" }
func (gyrNetworkError) Unwrap() error { return syscall.ENETUNREACH }

// gyrRefuse is the error for a name that only a server outside could know.
func gyrRefuse(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return newDNSError(mapErr(err), name, "")
	}
	err := gyrNetworkError{}
	return &DNSError{Err: err.Error(), Name: name, UnwrapErr: err}
}
