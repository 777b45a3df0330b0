// Package research drives the loop that proposes a change, checks it, measures it, and keeps or
// discards it.
//
// A program drives, not a prompt. A proposer is any command, a queue of patches, a range of commits
// or a sweep over constants. It only edits a worktree of its own. It never decides, never measures,
// never sees the hidden checks and never writes the log.
//
// # The way of a candidate
//
// The tree that a proposer leaves becomes a commit under refs/research/<session>/<run>, whatever
// its verdict will be. It is refused if it changes nothing, repeats an earlier tree, or leaves the
// scope (scope.go). The risk lint (package risk) labels it. Then the battery runs (battery.go), on
// a checkout of the candidate's tree in which everything that judges - tests, golden files,
// measuring scripts - comes from the base. So wrong code gets no figures.
//
// A candidate that passes is measured against its parent, side by side (measuring.go). An exact
// objective is compared, a noisy one is tested and confirmed with fresh pairs (decide.go, package
// measure). A candidate that gains meets the more expensive checks: those of its risks
// (riskcheck.go, poison.go, probecheck.go), race, the hidden ones, a reviewer. If it passes them
// too, refs/heads/research/<session> moves to it by compare-and-swap. The user's checkout and index
// are never written.
//
// Commands may propose several candidates at once (round.go); they are judged one after the other.
//
// # The log
//
// Every step is a line in the log (package ledger) before it has an effect: proposed, verified,
// each pair of samples, the row, then the refs, done. A session that was killed reads its log,
// redoes the one interrupted step, and ends as it would have without the kill (state.go). The dates
// of commits derive from the base's, so equal candidates have equal hashes.
//
// # Trust
//
// The log's config line has a hash of everything that judges. A session does not continue with
// another evaluator (evaluator.go). After a proposer ran, the session finds and undoes its changes
// to the log, the refs and the hidden checks, and refuses its candidate. From time to time a
// canary, an identical tree, goes the whole way; a kept canary is an alarm. A proposer that runs as
// the same user can read everything that the user can; only a sandbox around it prevents that
// (sandbox.go). Programs built from candidates always run in a sandbox if the machine has one
// (box.go, package bubblewrap).
//
// # Where a change goes
//
// A session is one state machine, and most files are steps of it, methods of Session. So the
// package is large. Code that needs no session is in packages of its own: ledger (the log), gitx
// (worktrees and refs), risk (the lint), probe (calls of functions), mutate (rewrites), published
// (tables of others), bubblewrap and buildcache (the box), report (page and tables). Here config.go
// has research.json, proposer.go and agent.go the proposers, loop.go and judge.go the way of a
// candidate.
package research
