// Package chain is an application for CometBFT: a replicated ledger whose contracts are plain Go
// packages, run by gyr. docs/chain.md is the guide for those who run one.
//
// # What is replicated
//
// CometBFT orders transactions into blocks, and asks each validator for the hash of the state after
// each block, the app hash. Validators whose app hashes differ do not agree, so everything here
// follows from the blocks and the genesis alone. That is what gyr is for: the same calls give an
// instance the same root on every machine and in every tier. What does not follow from the blocks,
// such as a deadline or a full disk, halts the node and never becomes a result (codes.go, outcome).
//
// # The way of a transaction
//
// A Tx is JSON, signed by an ed25519 key (tx.go). CheckTx keeps out of the mempool what cannot be
// paid for (check.go). FinalizeBlock (app.go) checks the signatures of a block on all processors,
// and executes one transaction after the other (execute.go): the account pays for the limit of its
// gas, the call runs in transactions of the instances that it touches, all of them are committed or
// all rolled back, and what was not used is given back. The functions that contracts find are in
// host.go, deployments and upgrades in deploy.go, the compilation of contracts in programs.go.
//
// # The state
//
// A world (world.go) is the state at a height. Each contract is a state of package state, in the
// store under its own name. Accounts, the roots of contracts and the hashes of their code are records
// of a table (table.go), which is pages under a hash tree like the memory of a contract. The root of
// the table is the app hash. So commits, proofs, chunks and pruning are those of packages state and
// store for everything. Queries and the checker have worlds of their own, made of forks of the
// executor's instances or of states from the store, and throw them away (query.go).
//
// Snapshots are written from the store in the background (snapshot.go). A fresh node gets one through
// CometBFT's syncer, and checks each chunk by a root that the app hash vouches for (restore.go).
//
// # A node
//
// A Node is CometBFT and an App in one process (node.go). WriteNetwork makes the files of nodes
// (network.go). Package contract is what contracts import; the command is cmd/gyr-chain.
package chain
