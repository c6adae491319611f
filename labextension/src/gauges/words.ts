/** Everything that gauges say. `{…}` is filled in by the gauges. */

/** Translates; JupyterLab's bundle of translations is one. */
export interface ITranslating {
  __(text: string): string;
}

/** The parts that gauges show and explain. */
export type Part = keyof IGaugeWords['parts'];

export type IGaugeWords = ReturnType<typeof gaugeWords>;

/** A name, and a sentence that explains it to a learner. */
interface IPartWords {
  readonly name: string;
  readonly sentence: string;
}

/** The words in the language of `trans`. */
export function gaugeWords(trans: ITranslating) {
  return {
    parts: partWords(trans),
    of: trans.__('{used} of {total}'),
    cores: trans.__('{used} cores'),
    someCores: trans.__('{used} of {total} cores'),
    someCore: trans.__('{used} of 1 core'),
    ofCores: trans.__('{used} / {total} cores'),
    ofCore: trans.__('{used} / {total} core'),
    threadsOnCores: trans.__('{threads} threads on {cores} cores'),
    threadsOnCore: trans.__('{threads} threads on 1 core'),
    limitsOn: trans.__('memory limits of {limit} on {machine}'),
    limits: trans.__('The workers’ limits add up to {limit}; their machine has {machine}.'),
    noLimits: trans.__('The workers have no limit; this is what their machine has.'),
    running: trans.__('{count} running'),
    ready: trans.__('{count} ready'),
    waiting: trans.__('{count} waiting'),
    failed: trans.__('{count} failed'),
    noTasks: trans.__('none'),
    warning: trans.__('Filling up'),
    critical: trans.__('Almost full'),
    warningFrom: trans.__('From {percent} of the total.'),
    criticalFrom: trans.__('From {percent}. The next allocation may fail.'),
    hostWorker: trans.__('{count} worker'),
    hostWorkers: trans.__('{count} workers'),
    hostGpu: trans.__('{count} GPU'),
    hostGpus: trans.__('{count} GPUs'),
    hostSilent: trans.__('{count} silent'),
    hostLost: trans.__('{count} lost'),
    stale: trans.__('{age} old'),
    noFigures: trans.__('Waiting for data.'),
    unreadableOne: trans.__('not readable'),
    unreadable: trans.__('{count} GPUs not readable'),
    unreadableSingle: trans.__('1 GPU not readable'),
    idle: trans.__('idle'),
    now: trans.__('now'),
    ago: trans.__('{age} ago'),
    overTime: trans.__('Over time'),
    legend: trans.__('Legend'),
    workers: trans.__('Workers'),
    worker: trans.__('Worker {name}'),
    gpuNumber: trans.__('GPU {number}'),
    showBy: trans.__('Show workers by'),
    notMeasured: trans.__('not measured'),
    retire: trans.__('Retire'),
    retireOne: trans.__('Retire {worker}'),
    retireSentence: trans.__('Move its results to other workers, then stop this worker.'),
    progress: trans.__('Progress'),
    done: trans.__('{done} of {total} done'),
    process: trans.__('Process {pid} at {address}')
  };
}

function partWords(trans: ITranslating) {
  const part = (name: string, sentence: string): IPartWords => ({ name, sentence });
  return {
    gpu: part(trans.__('GPU'), trans.__('Percentage of time that the GPU was busy.')),
    vramPast: part(trans.__('VRAM over time'), trans.__('Memory used on all GPUs (0–100 %).')),
    memoryPast: part(
      trans.__('Memory over time'),
      trans.__('Memory used by all workers (0–100 %).')
    ),
    vram: part(trans.__('VRAM'), trans.__('GPU memory.')),
    rmmUsed: part(
      trans.__('RMM used'),
      trans.__('Allocated by RMM, the allocator of RAPIDS: your data and temporary arrays.')
    ),
    rmmFree: part(
      trans.__('RMM pool, free'),
      trans.__('Reserved by the RMM pool: available to this cluster only.')
    ),
    rmmPool: part(
      trans.__('RMM pool, use unknown'),
      trans.__('Reserved by the RMM pool. Set rmm_track_allocations to see how much of it is used.')
    ),
    cluster: part(
      trans.__('This cluster, not RMM'),
      trans.__('Used by this cluster outside RMM: the CUDA context, libraries, other allocators.')
    ),
    others: part(trans.__('Others'), trans.__('Used by other programs, such as notebooks.')),
    unknown: part(
      trans.__('Unknown programs'),
      trans.__('The driver does not report which programs use it.')
    ),
    free: part(trans.__('Free'), trans.__('Not in use.')),
    cpu: part(trans.__('CPU'), trans.__('Cores kept busy by the workers.')),
    shared: part(
      trans.__('Overcommitted'),
      trans.__(
        'More than the machine has: tasks are slower, and memory may run out before a worker reaches its limit.'
      )
    ),
    otherLoad: part(
      trans.__('Others use'),
      trans.__('Cores kept busy by other programs: tasks take longer.')
    ),
    memory: part(trans.__('Memory'), trans.__('Host memory of the workers’ processes.')),
    managed: part(trans.__('Managed'), trans.__('Results that Dask keeps until they are used.')),
    unmanaged: part(
      trans.__('Unmanaged'),
      trans.__('The rest: Python, libraries, running tasks, and memory not yet returned.')
    ),
    target: part(
      trans.__('Target'),
      trans.__('Above {percent} of its limit, a worker moves managed results to disk.')
    ),
    spill: part(
      trans.__('Spill'),
      trans.__('Above {percent}, counting unmanaged memory too, a worker moves results to disk.')
    ),
    pause: part(trans.__('Pause'), trans.__('Above {percent}, a worker starts no new tasks.')),
    terminate: part(
      trans.__('Terminate'),
      trans.__('Above {percent}, a worker is killed and restarted; its results are recomputed.')
    ),
    results: part(
      trans.__('Results'),
      trans.__('Where Dask keeps results: what does not fit moves from GPU to host to disk.')
    ),
    tierDevice: part(
      trans.__('On the GPU'),
      trans.__('Results in GPU memory; above device_memory_limit the oldest move to the host.')
    ),
    tierHost: part(
      trans.__('On the host'),
      trans.__('Results in host memory; a GPU has to fetch them before it can use them.')
    ),
    tierDisk: part(
      trans.__('On disk'),
      trans.__('Results that did not fit in memory; reading them back is slow.')
    ),
    cudfSpill: part(
      trans.__('cuDF spilled'),
      trans.__('Data frames that cuDF itself has moved from GPU to host memory.')
    ),
    tasks: part(
      trans.__('Tasks'),
      trans.__(
        'Running, ready (waiting for a thread), and waiting for other tasks or a free worker.'
      )
    ),
    power: part(trans.__('Power'), trans.__('Power draw of the GPU and its limit.')),
    temperature: part(trans.__('Temperature'), trans.__('A GPU that gets too hot is throttled.')),
    pcie: part(
      trans.__('PCIe'),
      trans.__('Data per second to (↓) and from (↑) the GPU: transfers with host memory and disk.')
    ),
    nvlink: part(
      trans.__('NVLink'),
      trans.__('Data per second to (↓) and from (↑) the GPU over the fast GPU interconnect.')
    ),
    network: part(
      trans.__('Transfer'),
      trans.__('Results that workers receive (↓) and send (↑) per second.')
    ),
    age: part(
      trans.__('Age'),
      trans.__('The worker has not reported since then: it is busy, blocked or gone.')
    ),
    prefix: part(
      trans.__('Task type'),
      trans.__('Tasks whose keys have the same prefix: finished, failed, running and pending.')
    )
  };
}

export const englishWords: IGaugeWords = gaugeWords({ __: text => text });

/** Fill in a template. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
