package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/picture"
	"easel/ui/core/reproduce"
	"easel/ui/core/risk"
	"easel/ui/core/tools/plots"
)

// errEdited reports that the user edited the code of a check, which cannot be edited.
var errEdited = &tool.Error{
	Code: tool.Denied, Detail: "The user changed the code, but a check runs what ran before. Nothing was run.", Hint: "Ask the user what they want instead.",
}

// checkReproducibility starts the check of a plot, or follows one that is open.
func (k *checks) checkReproducibility(ctx context.Context, in catalog.CheckReproducibilityIn) (catalog.CheckReproducibilityOut, error) {
	im, err := k.names.Find(ctx, in.ResourceURI)
	if err != nil {
		return catalog.CheckReproducibilityOut{}, err
	}
	caller := tool.CallerFrom(ctx)
	timer := time.NewTimer(DefaultWait) // for the user's answer and the check together
	defer timer.Stop()
	job := k.checker.Job(im.ImageID)
	if job == nil {
		h, err := k.checker.History(ctx, im.ImageID)
		if err != nil {
			return catalog.CheckReproducibilityOut{}, err
		}
		by := oversight.SenderOf(caller, h.Session.ID, h.Session.Project)
		verdict := oversight.Decide(k.store.Snapshot(), by, oversight.Code{Risks: h.Risks})
		asks := verdict.Decision == oversight.Ask // the question shows the effects
		if effects := h.SideEffects(); len(effects) > 0 && !in.Confirm && !asks {
			return catalog.CheckReproducibilityOut{
				Result: catalog.OK, Check: catalog.Check{Status: catalog.CheckUnconfirmed, Findings: effects},
				Hint: "Nothing was run: the code affects more than its session. Ask the user; if they agree, call again with confirm.",
			}, nil
		}
		job = k.checker.StartFor(h, by, func(ctx context.Context) (bool, error) { return k.mayCheck(ctx, caller, h) })
	}
	select {
	case <-job.Done():
	case <-timer.C:
		return k.stillChecking(im.ImageID), nil
	case <-caller.Cancelled:
		k.checker.Cancel(im.ImageID)
		return k.stillChecking(im.ImageID), nil
	case <-ctx.Done():
		return k.stillChecking(im.ImageID), nil
	}
	k.checker.Collect(im.ImageID)
	return k.checked(ctx, im, job)
}

// stillChecking is the result of a call that has waited long enough.
func (k *checks) stillChecking(image string) catalog.CheckReproducibilityOut {
	out := catalog.CheckReproducibilityOut{
		Result: catalog.OK, Check: catalog.Check{Status: catalog.CheckRunning}, Hint: "Call check_reproducibility again to wait for the result.",
	}
	if k.checker.Asking(image) {
		out.Hint = "The user has not answered yet. Call check_reproducibility again to wait for the answer and the result."
		return out
	}
	for _, c := range k.store.Snapshot().Checks {
		if c.Image == image {
			out.Cells = c.Cell
			out.Detail = fmt.Sprintf("%d of %d cells have been run", c.Cell, c.Cells)
		}
	}
	return out
}

// mayCheck asks the user whether the code of a plot may be run again, and reports whether they
// have approved it, and not only trust the caller. The question outlives the call, as that of an
// execution does.
func (k *checks) mayCheck(ctx context.Context, caller tool.Caller, h reproduce.History) (approved bool, err error) {
	var codes []string
	for _, c := range h.Cells {
		codes = append(codes, fmt.Sprintf("# In [%d]\n%s", c.Number, c.Code))
	}
	asked := strings.Join(codes, "\n\n")
	consent, err := k.approvals.Ask(ctx, catalog.Approval{
		ApprovalID: uuid.NewString(), SessionID: h.Session.ID, Client: caller.String(), Holder: caller.Holder,
		Assistant: caller.Assistant, Code: asked, Check: true,
		Risks: risk.NewReader(risk.LanguageOf(h.Session.KernelName), "", true).Risks(asked),
	})
	if err == nil && consent.Code != asked {
		err = errEdited
	}
	return !consent.Trusted, err
}

// checked converts the result of a check, with a picture of the differences.
func (k *checks) checked(ctx context.Context, im library.Image, job *reproduce.Job) (catalog.CheckReproducibilityOut, error) {
	check, err := job.Result()
	if err != nil {
		return catalog.CheckReproducibilityOut{}, err
	}
	out := catalog.CheckReproducibilityOut{Result: catalog.OK, Check: check, Hint: elsewhere(check), Of: im.ImageID}
	caller := tool.CallerFrom(ctx)
	if check.Status != catalog.CheckDifferent || caller.Transport != tool.MCP || oversight.DeliveryTo(k.store.Snapshot(), caller, "").Blind {
		return out, nil
	}
	kept, err := k.library.Checks.Get(ctx, im.ImageID)
	if err != nil {
		return out, nil //nolint:nilerr // the result is complete without the picture
	}
	fresh, err := k.library.Checks.Fresh(ctx, kept)
	if err != nil {
		return out, nil //nolint:nilerr // as above
	}
	stored, _, err := k.library.Images.Read(ctx, im.ImageID)
	if err != nil {
		return out, nil //nolint:nilerr // as above
	}
	if beside, err := reproduce.Difference(stored, fresh, catalog.InlineEdge, true); err == nil {
		out.Preview, out.PreviewType, _, _, err = picture.Preview(beside, picture.PNG, catalog.InlineEdge, plots.MostPreview)
		if err != nil {
			out.Preview = nil
		}
	}
	return out, nil
}

// elsewhere says that a check has run in another environment than that in which the plot was drawn; ""
// if it has not.
func elsewhere(check catalog.Check) string {
	if len(check.Environment) == 0 {
		return ""
	}
	said := "The environment is not the one in which the plot was drawn: " + catalog.Listed(check.Environment) + "."
	if check.Status == catalog.CheckReproduced {
		return "The picture is the same, but tell the user: " + said
	}
	return said + " That may be why."
}

// checkPlots starts checks for the window, which asks the user about side effects.
func (k *checks) checkPlots(ctx context.Context, in command.CheckPlotsIn) (out command.CheckPlotsOut, err error) {
	var histories []reproduce.History
	for _, id := range in.IDs {
		h, err := k.checker.History(ctx, id)
		switch {
		case errors.Is(err, reproduce.ErrNoHistory), errors.Is(err, reproduce.ErrRunning), errors.Is(err, library.ErrNotFound):
			out.Unknown++
			continue
		case err != nil:
			return out, err
		}
		histories = append(histories, h)
		if !in.Confirmed {
			out.SideEffects = append(out.SideEffects, h.SideEffects()...)
		}
	}
	if len(out.SideEffects) > 0 {
		return out, nil
	}
	for _, h := range histories {
		k.checker.Start(h)
		out.Started++
	}
	return out, nil
}

func (k *checks) cancelChecks(_ context.Context, ids []string) (struct{}, error) {
	k.checker.Cancel(ids...)
	return struct{}{}, nil
}

func (k *checks) readCheck(ctx context.Context, id string) (out command.ReadCheckOut, err error) {
	c, err := k.library.Checks.Get(ctx, id)
	if errors.Is(err, library.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.Found, out.Check, out.FreshType = true, c.Check, c.Fresh.MIME
	if c.Fresh.Path != "" {
		if out.Fresh, err = k.library.Checks.Fresh(ctx, c); err != nil {
			return out, err
		}
	}
	return out, nil
}
