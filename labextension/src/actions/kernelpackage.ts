import type { NotebookPanel } from '@jupyterlab/notebook';

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
  const reply = await kernel?.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    user_expressions: QUESTIONS
  }).done;
  const answers = reply?.content.status === 'ok' ? reply.content.user_expressions : {};
  const text = (name: keyof typeof QUESTIONS): string => {
    const answer = answers[name] as { data?: Record<string, unknown> } | undefined;
    const shown = answer?.data?.['text/plain'];
    return typeof shown === 'string' ? shown : '';
  };
  if (text('has') !== 'False') {
    return;
  }
  const python = text('python').replace(/^'|'$/g, '');
  throw new Error(
    trans.__(
      'The kernel of %1 (%2) has no gpucluster. Install the server’s version there and restart it, or choose another kernel.',
      panel.title.label,
      python
    )
  );
}
