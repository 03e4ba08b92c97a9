/** A language that words exist in. */
export type Lang = "en" | "ja" | "zh";

/** The four ways a node dies. */
export type Risk = "memory-volume" | "inotify" | "cgroup-cleanup" | "memcg";

/** How bad it is; a property of the rule. */
export type Severity = "info" | "warning" | "error";

/** One text to check, and the name that places in it are told by; "stdin" when there is none. */
export type Input = string | { name?: string; text: string };

export interface Options {
  /** Language of words for people; "en" when there is none. */
  lang?: Lang;
  /** What the policy and the command's `--settings` take. */
  settings?: Settings;
  /** Pods that kubelet may run on the node; 110 unless this or the text says. */
  maxPods?: number;
  /** Allocatable memory of the node, a Kubernetes quantity such as "16Gi". */
  nodeMemory?: string;
  /** Container runtime of the node, where the text does not tell. */
  runtime?: "containerd" | "cri-o";
  /** How the node mounts cgroups, where the text does not tell. */
  cgroups?: "v1" | "v2";
}

/** Quantities are Kubernetes quantities: "64Mi", or a number of bytes. */
export interface Settings {
  defaultSizeLimit?: string | number;
  maxSizeLimit?: string | number;
  defaultMemoryLimit?: string | number;
  maxMemoryLimit?: string | number;
  /** Globs. */
  exemptImages?: string[];
  /** Globs. */
  exemptVolumes?: string[];
  /** By rule id. */
  rules?: Record<string, "deny" | "warn" | "off">;
  nodeFindings?: "warn" | "reject";
  readLimitRanges?: boolean;
}

/** What `noderisk --format json` prints. */
export interface Report {
  /** Version of this shape; it changes only when a reader of the old shape would misread the new one. */
  version: 1;
  verdict: "at-risk" | "cannot-judge" | "no-risk-found";
  /** All four are always there. */
  risks: Record<Risk, RiskState>;
  /** What fired, worst first. */
  findings: Finding[];
  /** Which lines were understood, and as what. */
  read: ReadLines[];
  /** Which lines were not used, and why. */
  unread: Unread[];
}

export interface RiskState {
  status: "at-risk" | "undecided" | "ok" | "no-evidence";
  /** The worst among this risk's findings. */
  severity: Severity | null;
  /** What to paste next when the risk is undecided. */
  missing: { what: Wanted; command: string }[];
}

export type Wanted =
  | "manifest"
  | "rendered-manifest"
  | "inotify-limits"
  | "inotify-usage"
  | "cgroup-mode"
  | "misc-controller"
  | "kubelet-version"
  | "runc-version"
  | "proc-cgroups"
  | "kernel-version"
  | "kernel-command-line"
  | "kubelet-log";

export interface Finding {
  /** Id of the rule; `explain` has its words. */
  rule: string;
  risk: Risk;
  severity: Severity;
  /** `Kind/namespace/name` or `Kind/name`. */
  object: string | null;
  container: string | null;
  volume: string | null;
  /** What was seen and what should have been, most telling first. */
  evidence: Evidence[];
  /** The quantities that the rule's words speak of. */
  values: Record<string, string>;
  /** Edits of the object that remove the finding; empty where there is no mechanical fix. */
  patch: Edit[];
}

export interface Evidence {
  place: Place;
  observed: string;
  /** Empty when the observation itself is the fault. */
  expected: string;
}

export interface Place {
  /** Index of the input. */
  input: number;
  /** JSON pointer into the object, when the place is in one. */
  pointer: string | null;
  span: Span | null;
}

/** A stretch of one line. All are 1-based; columns count UTF-16 code units, as JavaScript's strings do. */
export interface Span {
  line: number;
  column: number;
  /** Behind the last character. */
  end_column: number;
}

/** Puts `value` at a JSON pointer; null takes the field away. Objects on the way are made, arrays never. */
export interface Edit {
  pointer: string;
  value: unknown;
}

export interface ReadLines {
  input: number;
  /** 1-based. */
  first_line: number;
  /** 1-based, inclusive. */
  last_line: number;
  /** Id of the reader, for example "sysctl". */
  kind: string;
}

export interface Unread {
  input: number;
  first_line: number;
  last_line: number;
  why: Why;
}

export type Why =
  | {
      reason:
        | "not-recognised"
        | "empty"
        | "binary"
        | "template"
        | "diff"
        | "fragment"
        | "indentation-lost"
        | "intended"
        | "irrelevant";
    }
  /** YAML or JSON that the parser refuses, in its own words. */
  | { reason: "broken"; message: string };

export interface RuleSummary {
  id: string;
  risk: Risk;
  severity: Severity;
  title: string;
}

/** `why`, `fix` and `remedy` may hold `{placeholders}`, which a finding's `values` fill. */
export interface Explanation extends RuleSummary {
  /** Why it matters on a node. */
  why: string;
  /** What to do. */
  fix: string;
  /** Commands or YAML that mend it; empty where there are none. */
  remedy: string;
  /** Where the facts come from. */
  links: string[];
  /** All of it as Markdown, without a heading. */
  markdown: string;
}

/**
 * Check one text, or several together: a limit in one counts for the manifest in another. Text never makes it fail, a
 * wrong option does.
 */
export function check(input: Input | Input[], options?: Options): Report;

/** Check, and write the report as `noderisk --format` does. */
export function render(input: Input | Input[], format: "markdown" | "json" | "sarif", options?: Options): string;

/** What a rule is about; undefined when there is no such rule. */
export function explain(rule: string, lang?: Lang): Explanation | undefined;

/** All rules, sorted by id. */
export function rules(lang?: Lang): RuleSummary[];

/**
 * The fragment ("#v1.…") that makes the page open with that text: `new URL(link(text), "https://tools.example/noderisk/")`.
 * `line` is the 1-based line to lead to. It carries the text as it is, so leave out secrets.
 * Throws where the text has more than 2 MB, which the page would not open.
 */
export function link(text: string, options?: Pick<Options, "maxPods" | "nodeMemory" | "runtime" | "cgroups"> & { line?: number }): string;
