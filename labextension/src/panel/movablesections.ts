import type {
  IMovableSectionRegistry,
  IMovableSectionSource,
  ISectionEntry
} from '@jupyterlab/apputils';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

/**
 * Sections of the panel that JupyterLab moves into another panel, such as the file browser's, and back. Each has a node
 * of its own, into which the panel draws wherever it is.
 */
export class MovableSections implements IMovableSectionSource {
  /** `titles` by id; `onMoved` is called when one goes or comes back. */
  constructor(
    titles: Readonly<Record<string, string>>,
    private readonly _onMoved: () => void
  ) {
    this._sections = Object.entries(titles).map(([id, title]) => new Section(id, title));
  }

  /** The other panel has one. */
  readonly accordionPanel = null;
  readonly sectionAdded = new Signal<this, ISectionEntry>(this);

  /** Let JupyterLab move them, and put them where they were before the page was reloaded. */
  offer(
    registry: IMovableSectionRegistry,
    source: string,
    label: string,
    restored: Promise<unknown>
  ): void {
    registry.registerSource(`gpucluster:${source}`, label, this);
    // What it remembers may have come before we did; it looks again when a section is added.
    void restored.then(() =>
      this.getSections().forEach(section => this.sectionAdded.emit(section))
    );
  }

  get all(): readonly Section[] {
    return this._sections;
  }

  getSections(): ISectionEntry[] {
    return this._sections
      .filter(({ isMoved }) => !isMoved)
      .map(widget => ({ id: widget.id, titleNode: widget.node, widget }));
  }

  removeSectionById(id: string): Widget | null {
    const section = this._sections.find(one => one.id === id && !one.isMoved);
    if (section === undefined) {
      return null;
    }
    section.isMoved = true;
    this._onMoved();
    return section;
  }

  reinsertSection(widget: Widget): void {
    (widget as Section).isMoved = false;
    this._onMoved();
  }

  private readonly _sections: readonly Section[];
}

/** A section; while it is not moved, it is no part of a layout. */
class Section extends Widget {
  constructor(id: string, title: string) {
    super();
    this.id = id;
    this.title.label = title;
  }

  get isMoved(): boolean {
    return this._isMoved;
  }

  set isMoved(isMoved: boolean) {
    this._isMoved = isMoved;
    this.toggleClass('gpc-ClusterPanel', isMoved);
    // JupyterLab's own mark of what can be moved away.
    this.removeClass('jp-movable-section');
    this.node.querySelector('details')?.setAttribute('open', '');
    this.show();
    this._settle();
  }

  /** A section that was folded elsewhere is shown when it comes back. */
  override hide(): void {
    if (this._isMoved) {
      super.hide();
    }
  }

  /** Note its place in the panel. */
  readonly place = (slot: HTMLElement | null): void => {
    this._slot = slot;
    this._settle();
  };

  private _settle(): void {
    if (!this._isMoved) {
      this._slot?.append(this.node);
    }
  }

  private _isMoved = false;
  private _slot: HTMLElement | null = null;
}
