package vet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gyrvm/gyr/internal/tools/vet/passes/appends"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/asmdecl"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/assign"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/atomic"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/bools"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/buildtag"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/cgocall"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/composite"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/copylock"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/defers"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/directive"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/errorsas"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/framepointer"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/hostport"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/httpresponse"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/ifaceassert"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/loopclosure"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/lostcancel"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/nilfunc"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/printf"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/shift"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/sigchanyzer"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/slog"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/stdmethods"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/stdversion"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/stringintconv"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/structtag"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/testinggoroutine"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/tests"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/timeformat"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/unmarshal"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/unreachable"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/unsafeptr"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/unusedresult"
	"github.com/gyrvm/gyr/internal/tools/vet/passes/waitgroup"
)

// suite returns the analyzers of go vet, in its order.
func suite() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		appends.Analyzer,
		asmdecl.Analyzer,
		assign.Analyzer,
		atomic.Analyzer,
		bools.Analyzer,
		buildtag.Analyzer,
		cgocall.Analyzer,
		composite.Analyzer,
		copylock.Analyzer,
		defers.Analyzer,
		directive.Analyzer,
		errorsas.Analyzer,
		framepointer.Analyzer,
		httpresponse.Analyzer,
		hostport.Analyzer,
		ifaceassert.Analyzer,
		loopclosure.Analyzer,
		lostcancel.Analyzer,
		nilfunc.Analyzer,
		printf.Analyzer,
		shift.Analyzer,
		sigchanyzer.Analyzer,
		slog.Analyzer,
		stdmethods.Analyzer,
		stdversion.Analyzer,
		stringintconv.Analyzer,
		structtag.Analyzer,
		tests.Analyzer,
		testinggoroutine.Analyzer,
		timeformat.Analyzer,
		unmarshal.Analyzer,
		unreachable.Analyzer,
		unsafeptr.Analyzer,
		unusedresult.Analyzer,
		waitgroup.Analyzer,
	}
}
