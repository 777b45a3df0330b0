package api

import (
	"context"
	"errors"
)

// Kind is Kind of package gyr, which has its words.
func Kind(err error) string {
	if err == nil {
		return "ok"
	}
	if kind := kindOf(err); kind != "" {
		return kind
	}
	switch {
	case errors.Is(err, ErrEnded):
		return "ended"
	case errors.Is(err, ErrBusy):
		return "busy"
	case errors.Is(err, ErrClosed):
		return "closed"
	case errors.Is(err, ErrBufferGone):
		return "buffer"
	case errors.Is(err, ErrNotExports):
		return "call"
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	return "other"
}

// kindOf returns the kind of the first error of a type of this package.
func kindOf(err error) string {
	for err != nil {
		switch e := err.(type) {
		case *DeadlineError:
			if errors.Is(e, context.Canceled) {
				return "canceled"
			}
			return "deadline"
		case *GuestError:
			return "guest"
		case *ExitError:
			return "exit"
		case *PanicError:
			return "panic"
		case *OutOfGasError:
			return "gas"
		case *MemoryLimitError:
			return "memory"
		case *StackLimitError:
			return "stack"
		case *OutputLimitError:
			return "output"
		case *MemoryFaultError:
			return "fault"
		case *ReadOnlyError:
			return "readonly"
		case *HostError, *HostPanicError:
			return "host"
		case *CallError:
			return "call"
		case *ConfigError:
			return "config"
		case *BufferError:
			return "buffer"
		case *TransactionError:
			return "transaction"
		case *StateError, *ChangeError:
			return "state"
		case *CompileLimitError:
			return "limit"
		case *CompileError:
			if kind := kindOf(e.Err); kind == "limit" {
				return kind
			}
			return "compile"
		case *ImageError:
			if kind := kindOf(e.Err); kind == "limit" {
				return kind
			}
			return "image"
		case *StdError:
			return "std"
		case *NeedsGoError:
			return "go"
		case *HostPackageError:
			return "hostpackage"
		case *InternalError:
			return "internal"
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				if kind := kindOf(inner); kind != "" {
					return kind
				}
			}
			return ""
		}
		err = errors.Unwrap(err)
	}
	return ""
}
