// Package listing prints, for people, what the compiler makes of a function: its machine code with
// the operations and lines that the code comes from (Asm), its IR after each pass (Passes), and the
// decisions of the passes (Why). Only commands use it. Nothing that runs a program does.
package listing
