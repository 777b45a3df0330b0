package main

// researchLong returns the help of a verb of gyr research after its first sentence.
func researchLong(verb string) string {
	switch verb {
	case "init":
		return `The benchmark is the repository's first, or the one of -bench, with or without "Benchmark"
before it; behind a slash stands a sub-benchmark, as in -bench Encode/small. Objectives are its
allocations and the processor time of its process. The checks and the benchmark run once on HEAD: a
go vet that fails there is left out, and what else fails is told. A benchmark of a nested module is
the default only if there is no other, and has that module's checks too. What each key of the file means is in
docs/research-config.md, and 'gyr research schema' prints a JSON schema for editors.`
	case "doctor":
		return `It looks at the base, the commands, the evaluator, the log, the clock and the load of the machine,
runs the checks and the benchmarks on the base unless it has passed them in the session, and looks at guards that the last calibration shows cannot be held. The exit status is 1 if something
keeps a session from running.`
	case "calibrate":
		return `It prints each metric's class and noise, the iterations of a sample, how many pairs its least
effect needs, whether a planted slow-down was seen, and whether its guard can be held.`
	case "run":
		return `The session is that of research.json; one that exists goes on where it was. It ends when the
proposer has no more ideas or a rule of "stop" applies. A file STOP in the session's
directory, or an interrupt, pauses it.

With -workers the candidates are checked and measured elsewhere, as many at once as
"parallel.propose" says. The base and gains are still examined here.

The exit status is 0 if something was kept, 3 if nothing was, 4 if a budget was spent on
nothing, 5 if it was paused, 6 if the evaluator has changed (-new-segment begins anew).`
	case "workers":
		return `Without flags it prints the session's public key, which workers know it by, and the admitted workers.
The log keeps who was admitted and removed. A session that runs has to be paused for it.`
	case "worker":
		return `It runs in a clone of the session's repository, which must have the session's base. It reads trials as
lines of JSON, tries one after the other, and ends with its standard input. Candidates run in
bubblewrap. Messages go to the standard error.

A session on another machine takes its results when its public key is admitted:

	ssh HOST gyr research worker -show
	gyr research workers -add KEY -name NAME
	gyr research run -workers 'ssh HOST cd DIRECTORY && gyr research worker'`
	case "resume":
		return `It is run, but an error if there is no session.`
	case "once":
		return `The command proposes as one of "proposer" does: it edits the worktree that it is started in.
The exit status is 0 if the proposal was kept, 3 if it was not.`
	case "try":
		return `Of a revision the change against its parent is judged. With -on-base it is judged on the base, not
on what was kept, and the branch does not move. The exit status is 0 if it was
kept, 3 if it was not.`
	case "accept":
		return `What the row proposed is judged once more, on the present tip, and kept if it passes what
else there is to pass.`
	case "replay":
		return `Each commit of the range is judged on its own parent, as its author had it, and in the chain, on
what was kept of those before it; once where these are the same. One that fails in the chain
because it builds on a commit that was refused is "depends", and its row names that one. If that one
only gained nothing, the two are judged together. Its parent's tests and its own judge a commit, and
what the parent fails too does not refuse it. Trees that lack a metric's benchmark get it from the
commit of -bench-from.

Files that the series carries and that are no part of what it changes are left out (-strip),
and the scope that init writes does not bind it. A published table of pi-autoresearch (.jsonl),
karpathy/autoresearch (.tsv) or in Markdown (.md) is matched with the commits, and compared;
the page of 'gyr research report -session replay-NAME -html FILE' has it too.

The exit status is 7 if a row of the table is contradicted, else that of run.`
	case "status":
		return `With -json as one object, for programs. Lines of the log that the session did not write, and kept
rows that contradict the repository, are named, and the exit status is 1.`
	case "log":
		return `With -f it goes on as rows are written, with -json as lines of JSON.`
	case "report":
		return `Without flags it is for the terminal, as status. The page of -html needs nothing else: no script, no
network.`
	case "watch":
		return `It shows the figures, what is under way and the last rows, anew when the log grows, until it is
interrupted or the session has ended. It reads the log only: any number may watch.`
	case "frontier":
		return `Kept or not: where one objective is paid for with another, the choice is the reader's. Candidates that
failed a check are left out.`
	case "lesson":
		return `Lessons are also what proposers write into proposal.json or answer behind LESSON:.`
	case "ablate":
		return `Of each keep it says whether it pays: without it the branch is worse. Finalize leaves out those
that do not.`
	case "finalize":
		return `The branch research/NAME-final has the keeps on the base, a commit each, without those of which
ablate says that they do not pay. It passes the battery again, and is measured against
the base with as many pairs as the last look of "statistics" has.`
	case "gc":
		return `Rows stay in the log, kept commits stay on their branches.`
	case "schema":
		return `An editor takes it from a file that "$schema" in research.json names.`
	}
	return ""
}
