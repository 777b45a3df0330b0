// Package filetree reads the files of a load, and remembers what was read.
//
//   - tree.go has [Tree], the only way to a file: a file system with the names that errors print,
//     bounded in size and, for modules, to a directory that neither names nor links lead out of
//     ([Roots]);
//   - replace.go replaces files of the machine by others, like -overlay of the go command;
//   - inputs.go records each read with its result ([Inputs]), and checks later whether all results
//     would be the same ([Check]); stamp_linux.go and stamp_other.go get the facts about a file
//     that the system tells without reading it.
package filetree
