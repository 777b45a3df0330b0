// Package research drives the loop that proposes a change, checks it, measures it, and keeps or
// discards it.
//
// A program drives the loop, not a prompt. What proposes changes is the proposer: a command, a
// language model, a queue of patches, a range of commits, a sweep over constants, or mechanical
// rewrites. A proposer only edits a worktree that the session gives it. It never decides, never
// measures and never writes the log, and the session does not show it the hidden checks.
//
// # The way of a candidate
//
// The tree that a proposer leaves is a candidate. It becomes a commit under
// refs/research/<session>/<run>, whatever its verdict will be. The session refuses it if it changes
// nothing, repeats an earlier tree, or leaves the scope (scope.go).
//
// The risk lint (package risk) labels it. Then the battery runs, which is the list of checks in
// research.json (battery.go). It runs on a checkout of the candidate's tree in which everything
// that judges comes from the base: tests, golden files, measuring scripts. A candidate that fails
// is not measured, so wrong code gets no figures.
//
// A candidate that passes is measured side by side with its parent, the tip of the session's branch
// (measuring.go). Some metrics are exact, and their values are simply compared. The others are
// noisy: a statistical test decides, and fresh pairs of samples must confirm its result (decide.go,
// package measure).
//
// A candidate that gains meets the more expensive checks: the checks of its risks, with the race
// detector among them (riskcheck.go), calls of the changed functions in both versions
// (probecheck.go), pools whose objects are overwritten (poison.go). The battery's checks for gains
// follow, such as a reviewer, and the hidden checks come last. If it passes them too, the branch
// refs/heads/research/<session> moves to it by compare-and-swap. A gain that is too good to be
// believed unseen, or that a check could not examine, waits for a human instead (accept.go). The
// user's checkout and index are never written.
//
// Commands may propose several candidates at once (round.go). They are judged one after the other.
//
// Workers on other machines may run the battery and measure (workers.go has the session's side,
// worker.go the worker's). They try all candidates of a round at once. The session decides.
//
// # The log
//
// Every step is a line in the log (package ledger) before it has an effect. The lines of a
// candidate are: proposed, verified, one for each pair of samples, measured, the row with the
// verdict, done. The refs move between row and done. A session that was killed reads its log,
// redoes the one interrupted step, and ends as it would have without the kill (state.go). The dates
// of commits derive from the base's, so equal candidates have equal hashes.
//
// # Trust
//
// The evaluator is everything that judges (evaluator.go). The config line at the start of a segment
// of the log has its hash. A session continues only with the same evaluator; another one needs a
// new segment.
//
// After a proposer ran, the session compares the log, its refs and the evaluator with what they
// were. It undoes a change to the log or the refs and refuses the candidate. It cannot undo a
// change to the hidden checks or research.json, so such a change stops the session.
//
// From time to time the session proposes a canary, a tree identical to its parent. If a canary
// gains or clearly loses, that is an alarm: the session's verdicts are unreliable (judge.go).
//
// A proposer that runs as the same user can read everything that the user can. Only a sandbox
// around the proposer prevents that, and it is optional (sandbox.go). Programs built from
// candidates run in a sandbox if the machine has one, unless research.json turns it off (box.go,
// package bubblewrap).
//
// # Where things are
//
//   - The session: session.go opens it, state.go reads its log, config.go has research.json,
//     settings.go the variables that a sweep sets, status.go shows where it stands, forged.go
//     finds what others wrote into its log, gc.go lists sessions and removes what discarded
//     candidates left.
//   - Before a session: init.go writes a first research.json, doctor.go finds problems, basetrial.go
//     runs the checks on the base for both, plant.go plants a slow-down that measuring must see.
//   - Proposals: loop.go asks for them and says when to stop; proposer.go, agent.go and
//     endpoint.go have the proposers; brief.go says what they are told, with hotspots.go and
//     lesson.go; combine.go joins candidates that each gained too little; accept.go keeps a row that
//     waited for a human.
//   - Metrics: measuring.go samples them, cputime.go takes the start off the processor time,
//     subbench.go joins sub-benchmarks, kernels.go tells gas that says little; suspect.go and
//     floor.go find figures that are too good.
//   - Judging: judge.go leads a candidate to its row; pattern.go matches paths of the scope;
//     gochecks.go and freshinput.go have built-in checks; instrument.go writes the
//     sources of the programs that probebuild.go builds and proberun.go runs, to call functions of
//     both versions; answers.go, spread.go and probecheck.go compare what they report; reach.go
//     restricts slow checks to what the change reaches; effort.go leaves some of them out;
//     endless.go ends endless loops; turns.go has the lock for measuring.
//   - Processes: runner.go runs them, written.go reads files that they wrote, disk_*.go tells the
//     free space.
//   - Afterwards: finalize.go measures what each kept change is worth and all of them together, and
//     makes branches for review. replay.go and series.go judge an existing series of commits,
//     owntests.go by which tests, carrybench.go with benchmarks that were written later.
//
// A session is one state machine. Most of these files are its steps, methods of [Session], so the
// package is large. Code that needs no session is in packages of its own: ledger (the log), gitx
// (worktrees and refs), queue (trials and results of workers), risk (the lint), probe (calls of
// functions), mutate (rewrites), published (other projects' tables of results), bubblewrap and
// buildcache (the sandbox and its build cache), report (page and tables).
package research
