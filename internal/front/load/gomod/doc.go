// Package gomod finds the sources of a build: the Go installation, and the modules that supply its packages. It reads
// what the go command has left on the machine, in the go command's words where something is wrong, and fetches nothing.
//
//   - env.go has [Env], what all of them need: where things are and how the go command is set up; goenv.go reads its
//     settings from the environment and the file of go env -w;
//   - goroot.go finds the Go installation and refuses one of another release; selectgo.go chooses another one, as
//     $GOTOOLCHAIN and go.mod say, for commands;
//   - module.go reads go.mod or go.work, selects versions, and says which module has a package ([Modules]);
//     vendor.go does so for a vendor directory, and compares vendor/modules.txt with go.mod;
//   - modcache.go reads the module cache; sum.go compares what is there with go.sum, and treesum.go computes the sums
//     of modules while the load goes on;
//   - assembly.go says whether a module has assembly with code;
//   - shown.go names files for errors, and for those that may not know where the host has them.
package gomod
