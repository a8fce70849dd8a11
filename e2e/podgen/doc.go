// Package podgen makes pods and definitions of all shapes, at random but from a
// seed: the same seed gives the same bytes. Every pod is one that a real API
// server accepts, and every definition one that the webhook loads; what the two
// make of each other is for a test to find out. Many of them clash on purpose.
package podgen
