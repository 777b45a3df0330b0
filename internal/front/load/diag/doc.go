// Package diag has the errors of a load: a message with a position, in the words of the go command
// or the compiler. The stages of the loader make [Error] values; [CompileErrors] chooses those of a
// package that are told, and [Errors] prints them under the headings of the go command.
package diag
