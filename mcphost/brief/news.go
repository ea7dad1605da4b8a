package brief

import (
	"time"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
)

// A questionForm is the form of a question for models.
type questionForm struct {
	Mark   int                   `json:"mark,omitempty"`
	Shape  catalog.Shape         `json:"shape,omitempty"`
	State  catalog.QuestionState `json:"state,omitempty"`
	Words  string                `json:"question"`
	Plot   string                `json:"plot,omitempty"`
	Region string                `json:"region"`
	Table  *catalog.TablePlace   `json:"table,omitempty"`
	Axes   []catalog.RegionAxes  `json:"axes,omitempty"`
	Crop   string                `json:"crop,omitempty"`
}

// questionOf returns the question as a result announces it, with or without its plot.
func questionOf(q catalog.Question, plot bool) questionForm {
	b := questionForm{
		Mark: q.Number, Shape: q.Shape, State: q.State, Words: q.Words, Region: q.Region, Axes: q.Axes, Crop: q.Crop, Table: q.Table,
	}
	if plot {
		b.Plot = q.Plot
	}
	return b
}

// lateCode is how many bytes of its code a late answer contains for a model.
const lateCode = 300

// lateAnswer returns the answer as a result announces it.
func lateAnswer(l catalog.LateAnswer) any {
	b := struct {
		Answer      string    `json:"answer"`
		Reason      string    `json:"reason,omitempty"`
		AnsweredAt  time.Time `json:"answered_at"`
		SessionID   string    `json:"session_id,omitempty"`
		Project     string    `json:"project,omitempty"`
		ExecutionID string    `json:"execution_id,omitempty"`
		Code        string    `json:"code,omitempty"`
		Note        string    `json:"note"`
	}{"denied", l.Reason, l.AnsweredAt, l.SessionID, l.Project, l.ExecutionID, truncate.Middle(l.Code, lateCode), noteOf(l)}
	if l.Approved {
		b.Answer = "approved"
	}
	return b
}

// noteOf says what follows from the answer.
func noteOf(l catalog.LateAnswer) string {
	switch {
	case l.Project != "" && !l.Approved:
		return "Easel does not work in this project."
	case l.Project != "":
		return "session_create now works in this project without asking."
	case l.Kernel && !l.Approved:
		return "Easel has not connected to this kernel."
	case l.Kernel && l.Expired:
		return "The request had expired. session_connect now connects to this kernel without asking."
	case l.Kernel:
		return "Easel has connected to this kernel."
	case !l.Approved:
		return "The code did not run."
	case l.Expired && l.Edited:
		return "The request had expired, so nothing ran. The user changed the code: if you send the same code to this session again, the changed code runs without asking."
	case l.Edited:
		return "The user changed the code. The changed code runs or has run; get_execution returns it with its result."
	case l.Expired:
		return "The request had expired, so the code did not run. If you send the same code to this session again, it runs without asking."
	default:
		return "The code runs or has run; get_execution returns its result."
	}
}
