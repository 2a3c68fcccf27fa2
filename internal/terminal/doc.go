// Package terminal is what a person sees on the standard error stream: lines that nothing of
// others can forge, and the progress of a run as one line that moves.
//
// Everything passes a [Screen], which escapes what could steer a terminal and keeps what is printed
// above the moving line. A [Printer] shows progress, a [RunLine] that of a run. Where there is no
// terminal, both print a bounded number of plain lines.
package terminal
