// Package queue carries the trials of a research session to workers on other machines, and their
// results back.
//
// The session is the coordinator. It alone decides and writes the log. It gives out trials: each is
// a candidate to check and to measure against its parent, both on one machine. A worker tries it
// and returns a result. The coordinator signs trials and the worker signs results, with ed25519
// keys (sign.go). So whatever carries them needs no trust.
//
// A Queue is what carries them. [Start] is the one that gyr has: a program that reads messages on
// standard input and writes messages on standard output, one JSON object a line (pipe.go). The
// program may be a worker itself, run by [Serve] (serve.go), or the client of a message broker with
// any number of workers. So gyr is linked with no broker.
//
// Delivery is at least once. A queue may give a trial to several workers, and deliver a result
// several times: the coordinator counts one. A trial whose worker ends without a result goes to
// another one.
package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A Queue carries messages. Send and Receive may be called by two goroutines at once.
type Queue interface {
	Send(m Message) error
	// Receive waits for a message until ctx ends. Any other error means that the queue has ended.
	Receive(ctx context.Context) (Message, error)
	Close() error
}

// A Message is a line of the protocol.
type Message struct {
	ID        string  `json:"id"`                  // of the trial
	Attempt   int     `json:"attempt,omitempty"`   // how often the trial has been given out, from 1
	Trial     *Signed `json:"trial,omitempty"`     // to a worker: a Trial
	Withdrawn bool    `json:"withdrawn,omitempty"` // to a worker: nobody needs the trial's result any more
	Result    *Signed `json:"result,omitempty"`    // from a worker: a Result
}

// Kinds of signed texts.
const (
	KindTrial  = "trial"
	KindResult = "result"
)

// Versions are those on which results depend. A trial and its result have the same.
type Versions struct {
	Gyr         string `json:"gyr"`
	Go          string `json:"go"` // of the go command in the repository
	Determinism int    `json:"determinism"`
}

// A Trial is a candidate to check and to measure. It has no hidden checks and names no proposer.
type Trial struct {
	Session     string            `json:"session"`
	Run         int               `json:"run"`
	Base        string            `json:"base"`   // commit, which the worker's repository has
	Parent      string            `json:"parent"` // commit
	Object      string            `json:"object"` // the candidate's commit
	Settings    map[string]string `json:"settings,omitempty"`
	ParentSet   map[string]string `json:"parentSettings,omitempty"`
	Config      json.RawMessage   `json:"config"`      // research.json
	Calibration json.RawMessage   `json:"calibration"` // of the coordinator
	Since       int               `json:"since"`       // tests without a keep before this one, which lower the level
	Double      bool              `json:"double,omitempty"`
	Boxed       bool              `json:"boxed"` // its programs run in bubblewrap
	Versions    Versions          `json:"versions"`
	Pack        []byte            `json:"pack,omitempty"` // git objects of Parent and Object that Base lacks
}

// ID names a trial by all of its content except the pack, which Object names.
func (t Trial) ID() (string, error) {
	t.Pack = nil
	text, err := json.Marshal(t)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), err
}

// A Machine describes where a result was measured.
type Machine struct {
	ID   string     `json:"id"`
	Host string     `json:"host"`
	Env  ledger.Env `json:"env"`
	Rate float64    `json:"rate"` // bytes that a processor loads in a nanosecond at most
}

// Here names this machine as it runs now: a hash of its name and of the boot of its kernel. A process
// that moves to another machine sees another name, and so does one that a reboot has interrupted.
func Here() string {
	host, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // only on Linux
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", host, boot))
	return hex.EncodeToString(sum[:8])
}

// A Result is what a worker found. A candidate that fails a check has no samples.
type Result struct {
	Trial    string           `json:"trial"` // its ID
	Versions Versions         `json:"versions"`
	Machine  Machine          `json:"machine"`
	Sandbox  string           `json:"sandbox,omitempty"`  // around the programs: bubblewrap, or none and why
	Verified json.RawMessage  `json:"verified,omitempty"` // what the checks said
	Samples  []*ledger.Sample `json:"samples,omitempty"`
	Failure  string           `json:"failure,omitempty"` // verdict on a candidate that gave no value: crash or timeout
	Reason   string           `json:"reason,omitempty"`  // of the failure
	Waited   float64          `json:"waited,omitempty"`  // seconds for others that measure on the machine
	// why the worker could not try it; says nothing about the candidate
	Error *RefusedError `json:"error,omitempty"`
}

// A RefusedError says why a trial or a result is not taken.
type RefusedError struct {
	What string `json:"what"` // one of the constants
	Have string `json:"have"`
	Want string `json:"want,omitempty"`
}

// What a refusal is about.
const (
	RefusedKey         = "key"
	RefusedSignature   = "signature"
	RefusedTrial       = "trial"
	RefusedGyr         = "gyr version"
	RefusedGo          = "Go version"
	RefusedDeterminism = "determinism version"
	RefusedPair        = "pair" // its sides are of two machines, or it is none
	RefusedPairs       = "pairs"
	RefusedSandbox     = "sandbox"
	RefusedText        = "text"
	RefusedWorker      = "worker" // it could not try, for a reason of its own
)

func (e *RefusedError) Error() string {
	text := e.What + ": " + e.Have
	if e.Want != "" {
		text += "; want " + e.Want
	}
	return text
}

// Check compares versions with those that are wanted.
func (v Versions) Check(want Versions) error {
	for _, x := range []RefusedError{{RefusedGyr, v.Gyr, want.Gyr}, {RefusedGo, v.Go, want.Go},
		{RefusedDeterminism, fmt.Sprint(v.Determinism), fmt.Sprint(want.Determinism)}} {
		if x.Have != x.Want {
			return &x
		}
	}
	return nil
}
