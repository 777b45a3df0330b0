package chain

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/gyrvm/gyr/store"
)

// Paths of queries, with what their data are and what their value is, as JSON.
const (
	QueryCall     = "/call"     // a Call; the list of its results
	QuerySimulate = "/simulate" // a signed transaction; a Simulation
	QueryAccount  = "/account"  // the name of an account or a contract; an AccountRecord
	QueryContract = "/contract" // the name of a contract; a ContractRecord
	QueryExports  = "/exports"  // the name of a contract; the functions that it exports
	QueryInfo     = "/info"     // nothing; an Info
)

// A Simulation is what a transaction would do now.
type Simulation struct {
	Results json.RawMessage `json:"results,omitempty"`
	Gas     int64           `json:"gas"` // what it takes as a whole
}

// CodeQuery is the code of a query that is none: its path is not known, or its height not kept.
const (
	CodePath   Code = 50
	CodeHeight Code = 51
)

func init() { codeWords[CodePath], codeWords[CodeHeight] = "path", "height" }

// Query implements [abci.Application]. It answers from a committed height, the last one if none is
// given, beside the blocks that are executed meanwhile. The calls of a query are undone.
func (a *App) Query(ctx context.Context, req *abci.RequestQuery) (*abci.ResponseQuery, error) {
	r := &abci.ResponseQuery{Codespace: Codespace, Height: req.Height}
	value, used, err := a.query(ctx, r, req)
	if f := (*Failure)(nil); errors.As(err, &f) {
		r.Code, r.Log = uint32(f.Code), f.Text
	} else if missing := (*store.NotFoundError)(nil); errors.As(err, &missing) {
		r.Code, r.Log = uint32(CodeHeight), "this node does not keep the height: "+err.Error()
	} else if err != nil {
		return nil, err
	}
	if used > 0 {
		r.Info = "gas " + jsonText(used)
	}
	if err == nil {
		r.Value = value
	}
	return r, nil
}

func jsonText(v any) string { b, _ := json.Marshal(v); return string(b) }

func (a *App) query(ctx context.Context, r *abci.ResponseQuery, req *abci.RequestQuery) (value []byte, used int64, err error) {
	w, err := a.throwaway(req.Height)
	if err != nil {
		return nil, 0, err
	}
	defer w.close()
	r.Height = w.height - 1
	name := string(req.Data)
	answer := func(v any, err error) ([]byte, int64, error) {
		if err != nil {
			return nil, 0, err
		}
		b, err := json.Marshal(v)
		return b, 0, err
	}
	contract := func() (*ContractRecord, error) {
		record, err := w.record(name)
		if record == nil && err == nil {
			err = failure(CodeNoContract, "no contract %.40q", name)
		}
		return record, err
	}
	switch req.Path {
	case QueryInfo:
		return answer(w.info, nil)
	case QueryAccount:
		return answer(w.account(name))
	case QueryContract:
		return answer(contract())
	case QueryExports:
		record, err := contract()
		if err != nil {
			return nil, 0, err
		}
		p, err := w.program(ctx, name, record)
		if err != nil {
			return nil, 0, err
		}
		lines := []string{}
		for _, e := range p.Exports() {
			if e.Name != clockFunction {
				lines = append(lines, e.Name+e.Signature)
			}
		}
		return answer(lines, nil)
	case QueryCall:
		c := new(Call)
		if err := json.Unmarshal(req.Data, c); err != nil {
			return nil, 0, failure(CodeEncoding, "%v", err)
		}
		gas := a.options.QueryGas
		if gas == 0 {
			gas = w.info.Rules.BlockGas
		}
		x := w.begin(w.height, time.Time{})
		value, used, err := x.callJSON(ctx, "", c, gas)
		return value, used, errors.Join(err, x.undo())
	case QuerySimulate:
		t, sender, f := w.info.Rules.parse(w.info.ChainID, req.Data)
		if f != nil {
			return nil, 0, f
		}
		x := w.begin(w.height, time.Time{})
		base := w.info.Rules.intrinsic(t, len(req.Data))
		results, used, err := x.run(ctx, sender, t, t.Gas-base)
		if err := errors.Join(err, x.undo()); err != nil {
			return nil, used + x.lost, err
		}
		return answer(Simulation{results, base + used + x.lost}, nil)
	}
	return nil, 0, failure(CodePath, "no query %.40q; there are %s, %s, %s, %s, %s and %s", req.Path, QueryCall, QuerySimulate, QueryAccount, QueryContract, QueryExports, QueryInfo)
}
