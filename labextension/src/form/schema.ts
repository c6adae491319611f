/** Reads the JSON Schema of a backend's spec into fields that can be drawn. */

export interface IJSONSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  /** In place of the description, where a form asks otherwise than a command line. */
  readonly help?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly IJSONSchema[];
  readonly items?: IJSONSchema;
  readonly properties?: Readonly<Record<string, IJSONSchema>>;
  readonly required?: readonly string[];
  readonly group?: string;
  readonly advanced?: boolean;
  readonly empty?: string;
  readonly 'x-gpucluster-widget'?: string;
  readonly 'x-gpucluster-auto'?: boolean;
}

export type FieldKind =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  /** true, false, or left to the server. */
  | 'switch'
  | 'choice'
  /** Some of a fixed set. */
  | 'choices'
  /** Any texts, separated by commas. */
  | 'list'
  | 'memory'
  /** Seconds, written as people do. */
  | 'duration'
  | 'devices'
  | 'kernel';

export interface IField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly title: string;
  readonly description: string;
  readonly group: string;
  readonly advanced: boolean;
  /** Whether null is a value, written "none". */
  readonly nullable: boolean;
  readonly default: unknown;
  /** Whether "auto" is a value. */
  readonly auto: boolean;
  readonly options: readonly string[];
  /** What stands in it while nothing is typed; null: as its default says. */
  readonly empty: string | null;
}

export interface IGroup {
  readonly title: string;
  readonly fields: readonly IField[];
}

/** The fields of a spec in the order of the schema, without the backend itself. */
export function fieldsOf(schema: IJSONSchema): IField[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name, property]) => name !== 'backend' && property.const === undefined)
    .map(([name, property]) => fieldOf(name, property));
}

/** Fields by group, in the order in which the groups first appear. */
export function groupsOf(fields: readonly IField[]): IGroup[] {
  const titles = [...new Set(fields.map(field => field.group))];
  return titles.map(title => ({ title, fields: fields.filter(field => field.group === title) }));
}

function fieldOf(name: string, property: IJSONSchema): IField {
  const options = property.anyOf ?? [property];
  const nullable = options.some(option => option.type === 'null');
  const inner = options.find(option => option.type !== 'null') ?? property;
  const kind = kindOf(name, inner, nullable);
  return {
    name,
    kind,
    title: property.title ?? name.replace(/_/g, ' '),
    description: property.help ?? property.description ?? '',
    group: property.group ?? 'Cluster',
    advanced: property.advanced ?? false,
    empty: property.empty ?? null,
    nullable,
    default: property.default ?? (kind === 'choices' || kind === 'list' ? [] : null),
    auto: inner['x-gpucluster-auto'] ?? false,
    options: ((kind === 'choices' ? inner.items?.enum : inner.enum) ?? []).map(String)
  };
}

function kindOf(name: string, inner: IJSONSchema, nullable: boolean): FieldKind {
  // These two need to know the machine; everything else is drawn from its type alone.
  if (name === 'devices' || name === 'kernel_name') {
    return name === 'devices' ? 'devices' : 'kernel';
  }
  if (inner['x-gpucluster-widget'] === 'memory') {
    return 'memory';
  }
  if (inner.enum !== undefined) {
    return 'choice';
  }
  switch (inner.type) {
    case 'integer':
      return name.endsWith('_seconds') ? 'duration' : 'integer';
    case 'number':
      return 'number';
    case 'boolean':
      return nullable ? 'switch' : 'boolean';
    case 'array':
      return inner.items?.enum !== undefined ? 'choices' : 'list';
    default:
      return 'text';
  }
}
