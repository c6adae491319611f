import { backendOf, startingPreset } from './starting';
import { CodeLines } from './codelinesview';
import { entriesFor, entryOf, parseEntries, type Entries } from './values';
import { h, useEffect, useMemo, useRef, useState } from '../jsx';
import { asSentence, Fault, sentenceOf, useAsking } from '../panel/asking';
import { fieldsOf, groupsOf, type IField } from './schema';
import { hasEnded } from '../clusters/states';
import { FieldRow } from './fields';
import { trans } from '../translation';
import { PresetChoice, DemandBar, PlaceChoice, placeOf, usableAt } from './choices';
import { NoteList, useForeseen, type IForeseen } from '../panel/notes';
import { RefusedError } from '../clusters/restapi';
import type { IEnvironment } from '../actions/environment';
import type { IClusterManager, IOffer } from '../clusters/tokens';
import type { Demand, FieldError, OfferedPreset } from '../protocol/messages';
import { confirmLoss } from '../shell/confirm';

export interface ICreateFormProps {
  readonly manager: IClusterManager;
  readonly environment: IEnvironment;
  readonly defaultPreset: string;
  /** A request to begin with, in place of a preset: that of a cluster which failed. */
  readonly filled?: Readonly<Record<string, unknown>> | null;
  /** Why that cluster failed; empty: not known. */
  readonly reason?: string;
  readonly onDone: () => void;
}

/** Asks the server what can be created, then draws the form. */
export function CreateForm(props: ICreateFormProps): JSX.Element {
  const { manager, environment, filled, onDone } = props;
  const [offer, setOffer] = useState<IOffer | null>(null);
  const asking = useAsking();
  const isTyped = useRef(false);
  const leave = async (): Promise<void> => {
    if (!isTyped.current || (await confirmDiscard())) {
      onDone();
    }
  };
  const kernel = environment.activeKernel()?.name;
  const load = (): void => {
    void asking.run('offer', async () => setOffer(await manager.offer(kernel)));
  };
  useEffect(load, [manager]);
  return (
    <div
      className="gpc-CreateForm"
      onKeyDown={event => {
        // An open list of choices is closed by the same key.
        if (event.key === 'Escape' && !(event.target instanceof HTMLSelectElement)) {
          void leave();
        }
      }}
    >
      <div className="gpc-CreateForm-header">
        <h2>{filled ? trans.__('Edit and retry') : trans.__('New cluster')}</h2>
        {offer === null && (
          // The form brings its own.
          <button type="button" className="gpc-Button" autoFocus onClick={onDone}>
            {trans.__('Cancel')}
          </button>
        )}
      </div>
      {asking.error !== null && (
        <div role="alert">
          <p className="gpc-Error">{sentenceOf(asking.error)}</p>
          <button type="button" className="gpc-Button" onClick={load}>
            {trans.__('Try again')}
          </button>
        </div>
      )}
      {offer === null ? (
        asking.error === null && <p role="status">{trans.__('Loading…')}</p>
      ) : (
        <Form {...props} offer={offer} onTyped={() => (isTyped.current = true)} />
      )}
    </div>
  );
}

interface IFormProps extends ICreateFormProps {
  readonly offer: IOffer;
  /** Called when a field was changed. */
  readonly onTyped: () => void;
}

/** Ask before what was typed is dropped by a key that is easily hit. */
function confirmDiscard(): Promise<boolean> {
  return confirmLoss(
    trans.__('Discard this request?'),
    trans.__('The values you entered will be lost.'),
    trans.__('Discard'),
    trans.__('Keep editing')
  );
}

function Form({
  offer,
  manager,
  environment,
  defaultPreset,
  filled,
  reason,
  onTyped,
  onDone
}: IFormProps): JSX.Element {
  const [first] = useState(() => beginning(offer, defaultPreset, filled ?? null, reason ?? ''));
  const [preset, setPreset] = useState(first.preset);
  const [backend, setBackend] = useState(first.backend);
  const [entries, setEntries] = useState<Entries>(first.entries);
  const [refused, setRefused] = useState<readonly FieldError[]>(first.refused);
  const [tried, setTried] = useState(false);
  const [isAdvancedOpen, setAdvancedOpen] = useState(false);
  const [isCodeShown, setCodeShown] = useState(false);
  const asking = useAsking();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    focusFirst(form.current);
  }, []);
  // After the next drawing: only then the field is marked, and the button, which has lost the focus, can be pressed again.
  const focusFault = (): void => {
    window.setTimeout(() => {
      const fault = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
      (fault ?? form.current?.querySelector<HTMLElement>('[type="submit"]'))?.focus();
    });
  };
  const fields = useMemo(() => fieldsOf(offer.backends[backend] ?? {}), [offer, backend]);
  const { values, faults } = parseEntries(fields, entries);
  const missing = missingIn(fields, values);
  const isValid = Object.keys({ ...faults, ...missing }).length === 0;
  const kernel = environment.activeKernel();
  const given = withKernel(values, entries, kernel?.name);
  const request = { backend, ...given };
  // What is valid so far is checked, so that all faults are shown at once.
  const foreseen = useForeseen(request, spec => manager.notes(spec));
  // What was said of another kind is not about this one, which may be long in answering.
  const isOfKind = (foreseen.request as { backend?: string } | null)?.backend === backend;
  // The last known one stays while a value is wrong.
  const known = useRef<Demand | null>(null);
  if (!isOfKind) {
    known.current = null;
  } else if (isValid && foreseen.fields.length === 0) {
    known.current = foreseen.demand;
  }
  const demand = known.current;
  const notes = isOfKind ? foreseen.notes : [];

  // What appears at the bottom must not cover the field that is being edited.
  useEffect(() => {
    uncover(form.current);
  }, [foreseen.notes, demand]);

  const change = (name: string, entry: Entries[string]): void => {
    onTyped();
    setEntries({ ...entries, [name]: entry });
    setRefused(refused.filter(error => fieldOf(error, fields) !== name));
    asking.clear();
  };
  const choosePreset = (chosen: OfferedPreset): void => {
    setPreset(chosen.name);
    setBackend(backendOf(offer, chosen));
    // The name is the person's own; a preset has nothing to say about it.
    const name: Entries = 'name' in entries ? { name: entries.name } : {};
    setEntries({ ...entriesOf(offer, chosen), ...name });
    setRefused([]);
    asking.clear();
  };
  const chooseKind = (chosen: string): void => {
    setPreset('');
    setBackend(chosen);
    setRefused([]);
    asking.clear();
  };
  const presetsAt = (where: string): readonly OfferedPreset[] =>
    offer.presets.filter(({ spec }) => placeOf(offer.kinds, spec.backend) === where);
  const presets = presetsAt(placeOf(offer.kinds, backend));
  const submit = async (): Promise<void> => {
    let isCreated = false;
    setTried(true);
    await asking.run('create', async () => {
      try {
        // Asked first: then what would be refused is an answer and no failure, and marked together with the rest.
        const found = (await manager.notes(request)).fields;
        setRefused(found);
        if (isValid && found.length === 0) {
          await manager.create(request);
          isCreated = true;
        }
      } catch (error) {
        setRefused(error instanceof RefusedError ? error.fields : []);
        throw error;
      }
    });
    if (isCreated) {
      onDone();
    } else {
      focusFault();
    }
  };

  const faultOf = (field: IField): string | null => {
    const told =
      refused.find(error => fieldOf(error, fields) === field.name)?.message ??
      faults[field.name] ??
      // What has not been filled in yet is no fault.
      (tried ? missing[field.name] : undefined) ??
      (isOfKind ? foreseen.fields : []).find(
        error => fieldOf(error, fields) === field.name && isAsTyped(field.name, foreseen, request)
      )?.message;
    return told === undefined ? null : inWords(told, fields);
  };
  const elsewhere = refused.filter(error => fieldOf(error, fields) === null);
  const plain = ownFirst(fields.filter(field => !field.advanced));
  const advanced = fields.filter(field => field.advanced);
  const atFault = [...plain, ...advanced].filter(field => faultOf(field) !== null);
  const valid = Object.entries(given).filter(([name]) => !atFault.some(one => one.name === name));
  const titles = atFault.map(({ title }) => title).join(', ');
  const problem =
    asking.error === null
      ? elsewhere.map(({ message }) => asSentence(inWords(message, fields))).join(' ')
      : inWords(sentenceOf(asking.error), fields);
  const rows = (shown: readonly IField[]): JSX.Element[] =>
    shown.map(field => (
      <FieldRow
        key={`${backend}-${field.name}`}
        field={field}
        entry={
          entries[field.name] ??
          entryOf(field, field.kind === 'boolean' || field.kind === 'choice' ? field.default : null)
        }
        fault={faultOf(field)}
        devices={offer.devices}
        environment={environment}
        onChange={entry => change(field.name, entry)}
      />
    ));
  return (
    <form
      ref={form}
      noValidate
      aria-label={trans.__('New cluster')}
      onSubmit={event => {
        event.preventDefault();
        void submit();
      }}
    >
      <PlaceChoice
        kinds={offer.kinds}
        devices={offer.devices}
        chosen={backend}
        onChoosePlace={where => {
          // What the site offers there is the best beginning.
          const found = startingPreset({ ...offer, presets: presetsAt(where) }, defaultPreset);
          if (found === undefined) {
            chooseKind(usableAt(offer.kinds, where)[0].name);
          } else {
            choosePreset(found);
          }
        }}
        onChoose={chooseKind}
      />
      {presets.length > 0 && (
        <PresetChoice
          presets={presets}
          devices={offer.devices}
          chosen={preset}
          onChoose={choosePreset}
        />
      )}
      {rows(plain)}
      {advanced.length > 0 && (
        <details
          className="gpc-Details gpc-Advanced"
          open={isAdvancedOpen || atFault.some(field => field.advanced)}
          // Once a fault has opened it, it stays open: the user is working in it.
          onToggle={event => setAdvancedOpen(event.currentTarget.open)}
        >
          <summary>{trans.__('More options')}</summary>
          {groupsOf(ownFirst(advanced)).map(group => (
            <fieldset key={group.title} className="gpc-Group">
              <legend>{group.title}</legend>
              {rows(group.fields)}
            </fieldset>
          ))}
          {kernel !== null && entries.kernel_name === undefined && (
            <p className="gpc-Hint">
              {trans.__(
                'Workers use the environment of the last notebook: %1.',
                kernel.displayName
              )}
            </p>
          )}
        </details>
      )}
      <div className="gpc-CreateForm-footer">
        {demand !== null && <DemandBar demand={demand} given={givenMemory(manager, offer)} />}
        <NoteList notes={notes} />
        {isCodeShown && (
          <CodeLines backend={backend} values={Object.fromEntries(valid)} left={titles} />
        )}
        {problem !== '' && (refused.length === 0 || elsewhere.length > 0) && (
          <Fault error={problem} />
        )}
        {tried && atFault.length > 0 && (
          <p className="gpc-Error" role="alert">
            {trans.__('Fix first:')}
            {atFault.map(({ name, title }) => (
              <button
                key={name}
                type="button"
                className="gpc-OpenLink"
                onClick={() =>
                  form.current
                    ?.querySelector<HTMLElement>(`[data-field="${name}"] :is(input, select)`)
                    ?.focus()
                }
              >
                {title}
              </button>
            ))}
          </p>
        )}
        <div className="gpc-Buttons">
          <button
            type="submit"
            className="gpc-Button gpc-mod-accept"
            disabled={asking.busy !== null}
          >
            {asking.busy === null ? trans.__('Create') : trans.__('Creating…')}
          </button>
          <button type="button" className="gpc-Button" onClick={onDone}>
            {trans.__('Cancel')}
          </button>
          <button
            type="button"
            className="gpc-Button gpc-CopyAs"
            aria-expanded={isCodeShown}
            title={trans.__('As Python, magic or shell')}
            onClick={() => setCodeShown(!isCodeShown)}
          >
            {trans.__('Copy as…')}
          </button>
        </div>
      </div>
    </form>
  );
}

interface IBeginning {
  readonly preset: string;
  readonly backend: string;
  readonly entries: Entries;
  readonly refused: readonly FieldError[];
}

/** What the form begins with: a preset, or a request that was made before. */
function beginning(
  offer: IOffer,
  defaultPreset: string,
  filled: Readonly<Record<string, unknown>> | null,
  reason: string
): IBeginning {
  const kind = filled?.backend;
  if (filled === null || typeof kind !== 'string' || !(kind in offer.backends)) {
    const first = startingPreset(offer, defaultPreset);
    const entries = entriesOf(offer, first);
    const backend = backendOf(offer, first);
    return { preset: first?.name ?? '', backend, entries, refused: [] };
  }
  const fields = fieldsOf(offer.backends[kind]);
  const { env } = filled;
  const names = typeof env === 'object' && env !== null ? Object.keys(env) : [];
  const hidden = Object.fromEntries(names.map(name => [name, '']));
  const entries = entriesFor(fields, names.length > 0 ? { ...filled, env: hidden } : filled);
  const again = trans.__('enter the values again: they are not stored');
  const refused = reason === '' ? [] : [causeIn(reason, fields, filled)];
  return {
    preset: '',
    backend: kind,
    entries,
    refused: names.length > 0 ? [...refused, { field: 'env', message: again }] : refused
  };
}

/** Why a cluster failed, at the field that the sentence names or quotes. */
function causeIn(
  reason: string,
  fields: readonly IField[],
  spec: Readonly<Record<string, unknown>>
): FieldError {
  const [prefix, named] = /^(\w+): /.exec(reason) ?? ['', ''];
  if (fields.some(({ name }) => name === named)) {
    return { field: named, message: reason.slice(prefix.length) };
  }
  const isQuoted = ({ name }: IField): boolean =>
    name !== 'name' &&
    [spec[name]]
      .flat()
      .some(
        value => typeof value === 'string' && value.length >= LEAST_QUOTED && reason.includes(value)
      );
  return { field: fields.find(isQuoted)?.name ?? '', message: reason };
}

/** A shorter value may be in a sentence by chance. */
const LEAST_QUOTED = 6;

/** What has to be filled in: which scheduler, by address or file. */
function missingIn(
  fields: readonly IField[],
  values: Readonly<Record<string, unknown>>
): Readonly<Record<string, string>> {
  const ways = ['address', 'scheduler_file'];
  return ways.every(way => fields.some(({ name }) => name === way)) &&
    ways.every(way => values[way] === undefined)
    ? { address: trans.__('enter an address, e.g. tcp://node1:8786, or a scheduler file') }
    : {};
}

/** What the memory limits of the clusters that run on this machine add up to. */
function givenMemory({ clusters }: IClusterManager, { kinds }: IOffer): number {
  const here = (backend: string): boolean =>
    kinds.some(({ name, traits }) => name === backend && traits?.this_machine === true);
  return clusters
    .filter(cluster => !hasEnded(cluster) && here(cluster.backend))
    .flatMap(({ workers }) => workers)
    .reduce((sum, { memory_limit_bytes }) => sum + (memory_limit_bytes ?? 0), 0);
}

const EVERYWHERE = ['Cluster', 'GPUs', 'Memory', 'GPU memory', 'Network'];

/** What only this kind asks for stands first, such as hosts or an address. */
function ownFirst(fields: readonly IField[]): readonly IField[] {
  const rank = ({ group }: IField): number => EVERYWHERE.indexOf(group);
  return [...fields].sort((one, other) => rank(one) - rank(other));
}

/** Whether a field is as it was when the server was asked about it. */
function isAsTyped(
  name: string,
  { request }: IForeseen,
  now: Readonly<Record<string, unknown>>
): boolean {
  const before = (request ?? {}) as Readonly<Record<string, unknown>>;
  return JSON.stringify(before[name]) === JSON.stringify(now[name]);
}

/** Go on to the field at fault, else to the first one, unless the user has left the form while it was loaded. */
function focusFirst(form: HTMLFormElement | null): void {
  const region = form?.closest('.gpc-CreateForm');
  const { activeElement } = document;
  const fault = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
  if (activeElement === document.body || region?.contains(activeElement)) {
    (fault ?? form?.querySelector<HTMLElement>('input:checked, input:enabled, select'))?.focus();
  }
}

/** Scroll the field that has the focus out from below the notes. */
function uncover(form: HTMLFormElement | null): void {
  const field = document.activeElement;
  const footer = form?.querySelector('.gpc-CreateForm-footer');
  if (field === null || !footer || !form?.contains(field) || footer.contains(field)) {
    return;
  }
  if (field.getBoundingClientRect().bottom > footer.getBoundingClientRect().top) {
    field.scrollIntoView({ block: 'center' });
  }
}

/** A sentence of the server with the labels of fields in place of their names. */
function inWords(sentence: string, fields: readonly IField[]): string {
  return sentence.replace(/\b[a-z]+(_[a-z]+)+\b/g, name => {
    const title = fields.find(field => field.name === name)?.title;
    return title === undefined ? name : `“${title}”`;
  });
}

/** The field that an error of the server belongs to; null when it is about the whole request. */
function fieldOf(error: FieldError, fields: readonly IField[]): string | null {
  const name = error.field.split('.')[0];
  return fields.some(field => field.name === name) ? name : null;
}

function entriesOf(offer: IOffer, preset: OfferedPreset | undefined): Entries {
  const fields = fieldsOf(offer.backends[backendOf(offer, preset)] ?? {});
  const spec = preset?.spec ?? {};
  return Object.fromEntries(
    fields
      .filter(field => field.name in spec)
      .map(field => [field.name, entryOf(field, spec[field.name])])
  );
}

/** The notebook's environment is used unless another one was chosen. */
function withKernel(
  values: Readonly<Record<string, unknown>>,
  entries: Entries,
  active: string | undefined
): Readonly<Record<string, unknown>> {
  return entries.kernel_name === undefined && active !== undefined
    ? { ...values, kernel_name: active }
    : values;
}
