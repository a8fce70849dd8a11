package injector

//go:generate go run ./internal/gen -o ../docs/reasons.md
