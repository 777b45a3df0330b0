// Package prune drops the bodies of functions of the standard library that a program cannot reach.
//
// Type-checking all bodies of the packages that a program imports, and building SSA for them, would
// take four times as long as for the bodies that it needs. So before that, names alone decide which
// functions of the standard library may be reached. The bodies of the others are dropped. Types,
// constants and signatures stay.
//
// The decision must err on the side of keeping:
//
//   - A function is kept if live code mentions its name: as a plain identifier in its own package
//     (or under a dot import), or qualified by an identifier that may be the name of an import of
//     its package.
//   - A method is kept if its receiver's type is live and live code has a selector with the
//     method's name. Values of a type arise only where live code, or a live declaration, mentions
//     the type, and a method is called only where a selector names it. The exception is
//     reflection: as soon as live code selects Method or MethodByName on an operand that is not a
//     package, all exported methods of live types are kept.
//   - A live function without a body keeps the functions with its link symbol, and the function
//     that it pulls.
//   - On a base, whose code is not examined, all exported methods of live types are kept from the
//     start.
//   - Everything outside the standard library, all init functions, all tests, all variables whose
//     initialisation can have an effect, and everything that [Options].Keep names are live from
//     the start.
//
// A package-level variable of the standard library that no live code mentions, and whose
// initialiser has no effect, is removed. These variables are most of package unicode.
//
// prune.go collects declarations and follows the live ones. mention.go finds the names that a
// declaration mentions. purevars.go finds the variables whose initialisers have no effect.
package prune
