// Command client uses Easel through the client that oapi-codegen generates from the OpenAPI
// document. The test writes it to client.gen.go next to this file. The command prints the
// results as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	authorise := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	c, err := NewClientWithResponses(os.Getenv("URL"), WithRequestEditorFn(authorise))
	if err != nil {
		return err
	}
	name := "python3"
	created, err := c.SessionCreateWithResponse(ctx, SessionCreateJSONRequestBody{Name: &name})
	if err != nil {
		return err
	}
	if created.JSON200 == nil {
		return fmt.Errorf("session_create: %s %s", created.Status(), created.Body)
	}
	session := created.JSON200.SessionId
	mode := ExecuteCodeParametersImages("link")
	ran, err := c.ExecuteCodeWithResponse(ctx, ExecuteCodeJSONRequestBody{
		SessionId: session, Images: &mode,
		Code: "import matplotlib.pyplot as plt\nprint('from Go')\nplt.plot([1, 2]); plt.show()\n6 * 7",
	})
	if err != nil {
		return err
	}
	if ran.JSON200 == nil {
		return fmt.Errorf("execute_code: %s %s", ran.Status(), ran.Body)
	}
	variables, err := c.GetVariablesWithResponse(ctx, &GetVariablesParams{SessionId: "00000000-0000-4000-8000-000000000000"})
	if err != nil {
		return err
	}
	if variables.ApplicationproblemJSON404 == nil {
		return fmt.Errorf("get_variables of no session: %s %s", variables.Status(), variables.Body)
	}
	body := AnyParameters{"session_id": session}
	deleted, err := c.RunToolWithResponse(ctx, RunToolParamsTool("session_delete"), body)
	if err != nil {
		return err
	}
	if deleted.JSON200 == nil {
		return fmt.Errorf("session_delete: %s %s", deleted.Status(), deleted.Body)
	}
	x := ran.JSON200
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"status": x.Status, "valid": x.Status.Valid(), "stdout": x.Stdout, "result": x.Result, "images": len(x.Images),
		"mime_type": x.Images[0].MimeType, "created_at": x.CreatedAt,
		"problem": variables.ApplicationproblemJSON404.Code, "deleted": deleted.JSON200.Success,
	})
}
