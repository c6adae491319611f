import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { KernelSpec } from '@jupyterlab/services';

/** A Python environment that has a kernel. */
export interface IKernelChoice {
  readonly name: string;
  readonly displayName: string;
}

/** The Python environments that notebooks use. */
export interface IEnvironment {
  /** The kernel of the active notebook, if that is a Python one. */
  activeKernel(): IKernelChoice | null;
  /** All Python kernels, the default one first. */
  kernels(): IKernelChoice[];
}

/** Reads the environments off the open notebooks and the installed kernels. */
export class NotebookEnvironment implements IEnvironment {
  constructor(
    private readonly _specs: KernelSpec.IManager,
    private readonly _notebooks: INotebookTracker | null
  ) {}

  activeKernel(): IKernelChoice | null {
    const name = kernelNameOf(this._notebooks?.currentWidget ?? null);
    return this.kernels().find(kernel => kernel.name === name) ?? null;
  }

  kernels(): IKernelChoice[] {
    const specs = this._specs.specs;
    return Object.entries(specs?.kernelspecs ?? {})
      .flatMap(([name, spec]) =>
        spec !== undefined && spec.language.toLowerCase() === 'python'
          ? [{ name, displayName: spec.display_name }]
          : []
      )
      .sort(
        (left, right) =>
          Number(right.name === specs?.default) - Number(left.name === specs?.default)
      );
  }
}

/** The kernel that a notebook has, or will have once it has been started. */
export function kernelNameOf(panel: NotebookPanel | null): string | null {
  const context = panel?.sessionContext;
  return context?.session?.kernel?.name ?? context?.kernelPreference.name ?? null;
}
