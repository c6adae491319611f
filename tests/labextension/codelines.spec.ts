import { codeLine } from '../../labextension/src/form/codelinesview';

describe('the same as code', () => {
  const values = { n_workers: 2 };

  it.each([
    ['python', 'gpucluster.create("local", n_workers=2)'],
    ['magic', '%gpucluster create --backend local --n-workers 2'],
    ['shell', 'gpucluster create --backend local --n-workers 2']
  ] as const)('%s', (language, line) => {
    expect(codeLine(language, 'local', values)).toBe(line);
  });

  const many = {
    name: 'blue',
    memory_limit: '2 GiB',
    idle_timeout_seconds: null,
    rmm_async: true,
    rmm_track_allocations: false,
    pre_import: ['cudf', 'cupy']
  };

  it('writes Python as Python does', () => {
    expect(codeLine('python', 'cuda', many)).toBe(
      'gpucluster.create("cuda", name="blue", memory_limit="2 GiB", idle_timeout_seconds=None, ' +
        'rmm_async=True, rmm_track_allocations=False, pre_import=["cudf", "cupy"])'
    );
  });

  it('writes options as the command line reads them', () => {
    expect(codeLine('shell', 'cuda', many)).toBe(
      "gpucluster create --backend cuda --name blue --memory-limit '2 GiB' --idle-timeout-seconds none " +
        '--rmm-async --no-rmm-track-allocations --pre-import cudf,cupy'
    );
  });

  it('lets nothing that is typed become a command', () => {
    const line = codeLine('shell', 'local', { name: `a'; rm -rf ~ #` });
    expect(line).toBe(`gpucluster create --backend local --name 'a'"'"'; rm -rf ~ #'`);
  });

  it('escapes quotes and backslashes in Python', () => {
    expect(codeLine('python', 'local', { name: 'a"\\' })).toBe(
      'gpucluster.create("local", name="a\\"\\\\")'
    );
  });
});
