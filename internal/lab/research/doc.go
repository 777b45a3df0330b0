// Package research drives the loop that proposes a change, checks it, measures
// it, and keeps or discards it.
//
// A program drives, not a prompt: a proposer is any command, or a queue of
// patches, a range of commits or a sweep over constants. It edits a worktree of
// its own and that is all: it never decides, never measures, never sees the hidden
// checks and never writes the log.
//
// # The way of a candidate
//
// The tree that a proposer leaves becomes a commit under
// refs/research/<session>/<run>, whatever comes of it. It is refused when it
// changes nothing, repeats an earlier tree, or leaves the scope (scope.go). The risk
// lint (package risk) labels it. Then the battery runs (battery.go), on a
// checkout of the candidate's tree in which everything that judges - tests, golden
// files, measuring scripts - is that of the base: wrong code has no figures.
//
// What passes is measured against its parent, side by side (measuring.go, from
// package measure). An exact objective is compared, a noisy one is tested and confirmed
// with fresh pairs (decide.go). What gains meets the dearer checks: those of its
// risks (riskcheck.go, poison.go, probecheck.go), race, the hidden ones, a reviewer. What passes them too moves
// refs/heads/research/<session> by compare-and-swap. The user's checkout and index
// are never written.
//
// Commands may propose several candidates at once (round.go); they are judged one after the other.
//
// # The log
//
// Every step is a line in the log (package ledger) before it has an effect:
// proposed, verified, each pair of samples, the row, then the refs, done. A
// session that was killed anywhere reads its log, redoes the one step that was
// under way, and ends as it would have (state.go). Commits carry dates that
// derive from the base's, so the same candidates give the same hashes.
//
// # Trust
//
// The hash of all that judges stands in the log's config line; a session does not
// go on with another evaluator (evaluator.go). What a proposer changes in the log,
// in the refs or in the hidden checks is found after it ran, undone, and its
// candidate refused. A canary, an identical tree, goes the whole way from time to
// time: one that is kept is an alarm. A proposer that runs as the same user can
// look at everything that the user can; only a sandbox around it prevents that (sandbox.go). Around what is built
// of candidates there is always one where the machine has it (box.go, package bubblewrap).
//
// # Where a change goes
//
// A session is one state machine, and most files are steps of it, methods of Session: so the package is large. What
// knows nothing of sessions stands below it: ledger (the log), gitx (worktrees and refs), risk (the lint), probe (calls of
// functions), mutate (rewrites), published (tables of others), bubblewrap and buildcache (the box), report (page and tables).
// config.go has research.json, proposer.go and agent.go the proposers, loop.go and judge.go the way of a candidate.
package research
