// Package diag has the errors of a load. An error is a message with a position, in the words of the
// go command or the compiler. The stages of the loader make [Error] values; [CompileErrors] chooses
// which errors of a package are reported, and [Errors] prints them under the headings of the go
// command.
package diag
