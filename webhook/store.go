package webhook

import (
	"sync/atomic"

	"colocate.dev/colocate/injector"
)

// Store holds the snapshot that is in force. The zero Store holds none.
type Store struct {
	current atomic.Pointer[injector.Snapshot]
}

// Snapshot is what is in force; nil while nothing is loaded.
func (s *Store) Snapshot() *injector.Snapshot { return s.current.Load() }

// Swap puts another snapshot in force, for all requests that begin from now on.
func (s *Store) Swap(next *injector.Snapshot) { s.current.Store(next) }
