/**
 * A page of Dask's dashboard on a dark ground, with the colours of its tasks as they are: what is black or grey becomes
 * light and what is white dark, in Bokeh's own models. Nothing of that is sent to the scheduler.
 */

const GROUND = '#111111';
const INK = '#dddddd';
const GRID = '#3a3a3a';

/** Neutral colours as Bokeh and Dask write them, with what takes their place. */
const NEUTRALS: Readonly<Record<string, string>> = {
  black: INK,
  '#000000': INK,
  '#444': INK,
  '#444444': INK,
  '#5b5b5b': INK,
  '#4b4b4b': INK,
  '#e5e5e5': GRID,
  white: '#1c1c1c',
  '#ffffff': '#1c1c1c'
};

/** How often, and how many times, to look whether the page has drawn anything. */
const LOOK_MS = 150;
const LOOKS = 100;

const STYLE = `html, body { background: ${GROUND} !important; color: ${INK}; }
.navbar { filter: invert(0.9) hue-rotate(180deg); }`;

/** As much of Bokeh's models as is used here. */
interface IModel {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  setv(values: object, options: { sync: boolean }): void;
  [name: string]: unknown;
}

interface IBokehWindow extends Window {
  readonly JSON: JSON;
  readonly Bokeh?: { readonly documents: readonly { readonly all_models: Iterable<IModel> }[] };
}

/**
 * Make the page in a frame dark, once it has drawn something. A page that has tables, or nothing of Bokeh's, is left
 * as it is.
 */
export function darkenPage(frame: HTMLIFrameElement, onDark: () => void, looks = LOOKS): void {
  if (!frame.isConnected || looks === 0) {
    return;
  }
  const models = modelsOf(frame);
  if (models.length === 0) {
    window.setTimeout(() => darkenPage(frame, onDark, looks - 1), LOOK_MS);
    return;
  }
  const page = frame.contentDocument;
  if (page === null || models.some(({ type }) => type.endsWith('DataTable'))) {
    return;
  }
  const style = page.createElement('style');
  style.textContent = STYLE;
  page.head.append(style);
  // Bokeh accepts only plain objects of the same window.
  const own = (frame.contentWindow as IBokehWindow).JSON;
  for (const model of models) {
    const values = darkValues(model);
    if (Object.keys(values).length > 0) {
      model.setv(own.parse(JSON.stringify(values)) as object, { sync: false });
    }
  }
  onDark();
}

function modelsOf(frame: HTMLIFrameElement): IModel[] {
  const documents = (frame.contentWindow as IBokehWindow | null)?.Bokeh?.documents ?? [];
  return documents.flatMap(({ all_models }) => [...all_models]);
}

/** What a model's neutral colours become. */
export function darkValues(model: Pick<IModel, 'type' | 'properties'>): Record<string, unknown> {
  const { type, properties } = model;
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(properties)) {
    if (name.endsWith('_color')) {
      const given = (model as Record<string, unknown>)[name];
      const wrapped = typeof given === 'object' && given !== null && 'value' in given;
      const colour = wrapped ? given.value : given;
      const dark = typeof colour === 'string' ? NEUTRALS[colour.toLowerCase()] : undefined;
      if (dark !== undefined) {
        values[name] = wrapped ? { value: dark } : dark;
      }
    }
  }
  if (type === 'Text' && 'background_fill_color' in properties) {
    // Labels lie on bars of any colour, even on yellow ones.
    values.background_fill_color = { value: GROUND };
    values.background_fill_alpha = { value: 0.6 };
  }
  return values;
}
