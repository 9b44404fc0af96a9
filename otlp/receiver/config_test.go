package receiver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/collector/receiver/xreceiver"
)

func TestConfig(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte("labels:\n  region: app.region\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		keys map[string]any
		says string // of the error; empty for none
	}{
		"nothing": {nil, ""},
		"all": {map[string]any{"name": "web", "rate": 49, "period": "5s", "labels": "trace,custom",
			"label": []any{"tenant=user.tenant"}, "source_maps": false, "profile_per": "http.route",
			"error_mode": "ignore"}, ""},
		"labels as a list": {map[string]any{"labels": []any{"trace", "route"}}, ""},
		"selection": {map[string]any{"cgroup": []any{"docker-*.scope"}, "container": []any{"4f0c"},
			"env": []any{"TIER", "NODE_ENV=prod|stage"}}, ""},
		"cgroup":       {map[string]any{"cgroup": []any{"/"}}, "cgroup \"/\": want a path"},
		"env":          {map[string]any{"env": []any{"=x"}}, "want NAME or NAME=REGEX"},
		"value in env": {map[string]any{"env": []any{"A=b)(c"}}, "env A: "},
		"unknown key":  {map[string]any{"ratte": 5}, "ratte"},
		"rate":         {map[string]any{"rate": 0}, "rate 0: from 1 to"},
		"period":       {map[string]any{"period": "5ms"}, "at least 100ms"},
		"name":         {map[string]any{"name": "("}, "missing closing )"},
		"labels":       {map[string]any{"labels": "colour"}, "labels: "},
		"label":        {map[string]any{"label": []any{"="}}, "label: "},
		"rules":        {map[string]any{"rules": []any{"/none.yaml"}}, "/none.yaml"},
		"error mode":   {map[string]any{"error_mode": "silent"}, `error_mode "silent": propagate or ignore`},
	} {
		t.Run(name, func(t *testing.T) {
			c := defaultConfig().(*Config)
			err := confmap.NewFromStringMap(test.keys).Unmarshal(c)
			if err == nil {
				err = c.Validate()
			}
			if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want %q", err, test.says)
			}
		})
	}
	c := defaultConfig().(*Config)
	if err := componenttest.CheckConfigStruct(c); err != nil {
		t.Error(err)
	}
	if c.Rate != 99 || c.Period != 10*time.Second || c.ErrorMode != Propagate {
		t.Errorf("defaults %+v", c)
	}
}

// All processes are selected only where nothing says which.
func TestSelection(t *testing.T) {
	for _, c := range []Config{
		{}, {Name: "web"}, {CGroup: []string{"a"}}, {Container: []string{"1"}}, {Env: []string{"A=b"}},
	} {
		s, err := c.selection()
		if all := c.Name == "" && c.CGroup == nil && c.Container == nil && c.Env == nil; s.All != all || err != nil {
			t.Errorf("%+v selects %+v, %v", c, s, err)
		}
	}
	s, _ := (&Config{Env: []string{"A=b|c"}}).selection()
	if v := s.Environment[0].Value; !v.MatchString("c") || v.MatchString("cc") {
		t.Errorf("%v: want the whole value", v)
	}
}

// metadata.yaml says what the factory does.
func TestMetadata(t *testing.T) {
	text, err := os.ReadFile("metadata.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f := NewFactory().(xreceiver.Factory)
	level := strings.ToLower(f.ProfilesStability().String())
	for _, line := range []string{"type: " + f.Type().String(), level + ": [profiles]"} {
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("metadata.yaml lacks %q", line)
		}
	}
}

// An error at the start is the Collector's, or is logged.
func TestErrorMode(t *testing.T) {
	for mode, fails := range map[ErrorMode]bool{Propagate: true, Ignore: false} {
		c := defaultConfig().(*Config)
		c.ErrorMode, c.Rules = mode, []string{"/none.yaml"} // as if it had gone since Validate
		f := NewFactory().(xreceiver.Factory)
		r, err := f.CreateProfiles(t.Context(), receivertest.NewNopSettings(kind), c, consumertest.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		var host component.Host = componenttest.NewNopHost()
		if err := r.Start(t.Context(), host); (err != nil) != fails {
			t.Errorf("%s: %v", mode, err)
		}
		if err := r.Shutdown(t.Context()); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
	}
}
