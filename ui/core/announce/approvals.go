package announce

import (
	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// NewApprovals returns an Approvals that notifies the watchers of its questions. form may be nil.
func NewApprovals(bus *eventbus.Bus, store *state.Store, form oversight.Former) *oversight.Approvals {
	return oversight.NewApprovals(store, form, func(name catalog.ChangeName, a catalog.Approval) {
		catalog.Changes.Notify(bus, catalog.Change{Name: name, Object: a})
	})
}
