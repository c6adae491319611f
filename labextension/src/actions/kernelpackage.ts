import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';

import { trans } from '../translation';

/** What a kernel is asked: whether it can import gpucluster, and which Python it is. */
const QUESTIONS = {
  has: "__import__('importlib.util').util.find_spec('gpucluster') is not None",
  python: "str(__import__('sys').executable)"
};

/**
 * Ask the kernel of a notebook whether it has gpucluster, before a cell of ours runs in it.
 *
 * @throws Error - It has not; a sentence that says what to do, where the cell would show Python's ModuleNotFoundError.
 */
export async function requirePackage(panel: NotebookPanel): Promise<void> {
  const kernel = panel.sessionContext.session?.kernel ?? null;
  const answers = kernel === null ? {} : await evaluated(kernel, QUESTIONS);
  const text = (name: keyof typeof QUESTIONS): string => answers[name]?.['text/plain'] ?? '';
  if (text('has') !== 'False') {
    return;
  }
  const python = text('python').replace(/^'|'$/g, '');
  throw new Error(
    trans.__(
      'gpucluster is not installed in the kernel of %1 (%2). Install the server’s version there and restart it, or choose another kernel.',
      panel.title.label,
      python
    )
  );
}

/** What a kernel shows of Python expressions, by name and MIME type; neither notebook nor history have anything of it. */
export async function evaluated(
  kernel: Kernel.IKernelConnection,
  expressions: Readonly<Record<string, string>>
): Promise<Readonly<Record<string, Readonly<Record<string, string>> | undefined>>> {
  const { content } = await kernel.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    user_expressions: { ...expressions }
  }).done;
  const answers = Object.entries(content.status === 'ok' ? content.user_expressions : {});
  return Object.fromEntries(
    answers.map(([name, answer]) => [name, (answer as { data?: Record<string, string> }).data])
  );
}
