package discover

import "time"

// A real server on a machine at work may need long.
func init() { answerTime = time.Minute }
