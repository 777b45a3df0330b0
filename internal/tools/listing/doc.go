// Package listing prints what becomes of a function for people: its machine code
// beside the operations and lines that it comes from (Asm), its IR after each pass
// (Passes), and what the passes decided (Why). Only commands use it; nothing that
// runs a program does.
package listing
