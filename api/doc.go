// Package api holds the plain types of gyr: settings, figures, errors, declarations of host
// packages. The engine uses these types itself, and package gyr re-exports all of them by alias,
// with the functions that work on them.
//
// Hosts import package gyr. Package api is for code that handles settings, figures and errors
// without running anything: it imports nothing of gyr but package state, and an internal package
// that prints texts safely.
package api
