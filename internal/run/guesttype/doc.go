// Package guesttype knows the types of the guest whose values cross to the host and back.
//
//   - read.go reads types from their descriptors in the program's data ([Types]), as hostile input;
//     descriptor.go has the offsets of internal/abi.Type.
//   - type.go defines a type ([Type]), whether values of a host type can be its values
//     ([Type.Check]), and its host type ([Type.HostType]).
//   - settle.go decides, for types that may refer to each other, which of them cross and what
//     crossing takes.
//   - kinds.go has the rules for single kinds: numbers, times, maps, handles.
//
// Package rt reads and writes the values.
package guesttype
