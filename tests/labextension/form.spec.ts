import {
  fieldsOf,
  groupsOf,
  type IField,
  type IJSONSchema
} from '../../labextension/src/form/schema';
import {
  entriesFor,
  entryOf,
  parseEntries,
  parseEntry,
  placeholderOf
} from '../../labextension/src/form/values';

const nothing = { type: 'null' };
const memory = { type: ['integer', 'number', 'string'], 'x-gpucluster-widget': 'memory' };

/** As the server writes it: one field of each kind. */
const schema: IJSONSchema = {
  properties: {
    backend: { const: 'cuda', default: 'cuda', type: 'string' },
    name: { anyOf: [{ type: 'string' }, nothing], default: null, title: 'Name', group: 'Cluster' },
    n_workers: {
      anyOf: [{ type: 'integer', minimum: 1, maximum: 256 }, nothing],
      default: null,
      group: 'Cluster'
    },
    threads_per_worker: { type: 'integer', minimum: 1, maximum: 128, default: 1, group: 'Cluster' },
    memory_limit: {
      anyOf: [{ ...memory, 'x-gpucluster-auto': true }, nothing],
      default: 'auto',
      group: 'Memory'
    },
    rmm_pool_size: { anyOf: [memory, nothing], default: null, group: 'Memory' },
    idle_timeout_seconds: {
      anyOf: [{ type: 'integer', minimum: 1, maximum: 2592000 }, nothing],
      default: 3600,
      group: 'Cluster'
    },
    rmm_async: { type: 'boolean', default: false, group: 'Memory', advanced: true },
    enable_nvlink: { anyOf: [{ type: 'boolean' }, nothing], default: null, group: 'Network' },
    protocol: { type: 'string', enum: ['tls', 'tcp'], default: 'tls', group: 'Network' },
    libraries: { type: 'array', items: { type: 'string', enum: ['cupy', 'torch'] } },
    pre_import: { type: 'array', items: { type: 'string' } },
    devices: { anyOf: [{ type: 'array', items: { type: 'string' } }, nothing], default: null }
  }
};
const fields = fieldsOf(schema);

function field(name: string): IField {
  const found = fields.find(candidate => candidate.name === name);
  if (found === undefined) {
    throw new Error(`no field ${name}`);
  }
  return found;
}

function read(name: string, entry: string | boolean | string[]): unknown {
  const parsed = parseEntry(field(name), entry);
  return parsed.kind === 'value'
    ? parsed.value
    : parsed.kind === 'fault'
      ? parsed.sentence
      : parsed.kind;
}

describe('schema', () => {
  it('knows what kind each field is', () => {
    expect(Object.fromEntries(fields.map(({ name, kind }) => [name, kind]))).toEqual({
      name: 'text',
      n_workers: 'integer',
      threads_per_worker: 'integer',
      memory_limit: 'memory',
      rmm_pool_size: 'memory',
      idle_timeout_seconds: 'duration',
      rmm_async: 'boolean',
      enable_nvlink: 'switch',
      protocol: 'choice',
      libraries: 'choices',
      pre_import: 'list',
      devices: 'devices'
    });
  });

  it('finds bounds inside of a union with null', () => {
    expect(field('n_workers')).toMatchObject({ nullable: true });
  });

  it('groups fields in the order of the schema; those that name no group are about the cluster', () => {
    const groups = groupsOf(fields).map(group => group.title);
    expect(groups).toEqual(['Cluster', 'Memory', 'Network']);
  });
});

describe('good values', () => {
  it.each([
    ['n_workers', '3', 3],
    ['n_workers', '  ', 'default'],
    ['n_workers', 'none', 'default'],
    ['threads_per_worker', '1', 'default'],
    ['memory_limit', 'auto', 'default'],
    ['memory_limit', '2 GiB', '2 GiB'],
    ['memory_limit', '20%', '20%'],
    ['memory_limit', 'none', null],
    // What is no size, the server says while somebody types.
    ['memory_limit', '2 potatoes', '2 potatoes'],
    ['rmm_pool_size', '0.8', '0.8'],
    ['idle_timeout_seconds', '30 min', 1800],
    ['idle_timeout_seconds', '1 h', 'default'],
    ['idle_timeout_seconds', '1.5 h', 5400],
    ['idle_timeout_seconds', '90 s', 90],
    ['idle_timeout_seconds', 'never', null],
    ['rmm_async', true, true],
    ['rmm_async', false, 'default'],
    ['enable_nvlink', 'false', false],
    ['enable_nvlink', '', 'default'],
    ['protocol', 'tcp', 'tcp'],
    ['libraries', ['cupy'], ['cupy']],
    ['pre_import', 'cudf, cupy,', ['cudf', 'cupy']],
    ['devices', [], 'default'],
    ['devices', ['GPU-1'], ['GPU-1']]
  ])('%s: %p is %p', (name, entry, value) => {
    expect(read(name, entry)).toEqual(value);
  });
});

describe('bad values get a sentence', () => {
  it.each([
    ['n_workers', 'abc', 'enter a whole number, e.g. 2'],
    ['n_workers', '1.5', 'enter a whole number, e.g. 2'],
    ['n_workers', '1e3', 'enter a whole number, e.g. 2'],
    ['threads_per_worker', 'none', 'enter a whole number, e.g. 2'],
    ['idle_timeout_seconds', 'soon', 'enter a time with its unit, e.g. 30 min or 2 h'],
    ['idle_timeout_seconds', '90', 'enter a time with its unit, e.g. 30 min or 2 h']
  ])('%s: %p', (name, entry, sentence) => {
    expect(read(name, entry)).toEqual(expect.stringContaining(sentence));
  });
});

describe('a request that was made before', () => {
  it('fills the form with what is not at its default, as the same values', () => {
    const spec = {
      backend: 'cuda',
      name: 'far',
      threads_per_worker: 1,
      memory_limit: 2_000_000_000,
      rmm_pool_size: 0.8,
      idle_timeout_seconds: null,
      libraries: [],
      pre_import: ['cudf']
    };
    const entries = entriesFor(fields, spec);
    expect(entries).toEqual({
      name: 'far',
      memory_limit: '2 GB',
      rmm_pool_size: '80%',
      idle_timeout_seconds: 'none',
      pre_import: 'cudf'
    });
    expect(parseEntries(fields, entries).faults).toEqual({});
  });

  it('writes names and values as they are typed', () => {
    const env = fieldsOf({ properties: { env: { type: ['string', 'object'] } } });
    expect(entriesFor(env, { env: { A: '1', B: 'x' } })).toEqual({ env: 'A=1,B=x' });
  });
});

describe('the whole form', () => {
  it('gives what differs from the defaults, and what is wrong by field', () => {
    const entries = { n_workers: '2', name: '', threads_per_worker: 'two', rmm_async: true };
    expect(parseEntries(fields, entries)).toEqual({
      values: { n_workers: 2, rmm_async: true },
      faults: { threads_per_worker: 'enter a whole number, e.g. 2' }
    });
  });

  it.each([
    ['n_workers', 2],
    ['idle_timeout_seconds', 5400],
    ['rmm_async', true],
    ['libraries', ['cupy']],
    ['pre_import', ['cudf', 'cupy']],
    ['enable_nvlink', true]
  ])('reads back what a preset put into %s', (name, value) => {
    const parsed = parseEntry(field(name), entryOf(field(name), value));
    expect(parsed).toEqual({ kind: 'value', value });
  });

  it('shows sizes of a preset as people write them', () => {
    expect(entryOf(field('rmm_pool_size'), 0.8)).toBe('80%');
    expect(entryOf(field('rmm_pool_size'), 2 ** 31)).toBe('2 GiB');
  });

  it('says what an empty field means', () => {
    expect(placeholderOf(field('n_workers'))).toBe('automatic');
    expect(placeholderOf(field('idle_timeout_seconds'))).toBe('1 h');
    expect(placeholderOf(field('rmm_pool_size'))).toBe('none');
    expect(placeholderOf(field('pre_import'))).toBe('none');
    // A site may fill it in.
    const modules = { ...field('pre_import'), default: ['cuda/12.6', 'gcc'] };
    expect(placeholderOf(modules)).toBe('cuda/12.6, gcc');
  });
});
