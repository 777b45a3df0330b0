// Package gomod finds the sources of a build: the Go installation, and the modules that supply its
// packages. It reads what the go command has left on the machine, and fetches nothing. Its errors
// are in the go command's words.
//
//   - env.go has [Env], the state that all files need: where things are and how the go command is
//     set up; goenv.go reads the go command's settings from the environment and the file of go env
//     -w;
//   - goroot.go finds the Go installation and refuses an unsupported release; selectgo.go selects
//     another installation for commands, by $GOTOOLCHAIN and go.mod;
//   - module.go reads go.mod or go.work, selects versions, and says which module has a package
//     ([Modules]); vendor.go does so for a vendor directory, and compares vendor/modules.txt with
//     go.mod;
//   - modcache.go reads the module cache; sum.go compares its contents with go.sum, and treesum.go
//     computes the sums of modules during the load;
//   - assembly.go says whether a module has assembly with code;
//   - shown.go makes the file names in errors, also for users who may not know the host's paths.
package gomod
