// One pass of Lloyd's algorithm over a block: the nearest centre of each row, sums and weights per cluster, inertia.
//
// Each row is read from the GPU's memory once. A block of threads takes a tile of rows into shared memory, and finds each
// row's nearest centre (distances as ||c||^2 - 2 x.c, sixteen centres at a time in registers). Then it adds the rows up:
// a group of threads, one per column, goes through its rows one after the other. While some blocks wait for memory, others
// compute; a block that fetched its next tile meanwhile took the room of another one, and was slower (measured).
//
// No atomic operations but on whole numbers, so that the same rows and centres give the same sums bit by bit, which the
// end of k-means relies on.
//
// Given when it is compiled: REAL (float or double), REAL_BYTES, its LARGEST number, COLUMNS, THREADS (at least COLUMNS),
// SHIFTED and WEIGHTED (0 or 1).

#define ROWS THREADS  // of a tile: one for each thread
#define GROUPS (THREADS / COLUMNS)
#define CENTERS 16
#define AT_ONCE 8
#define PACKED (16 / (int)sizeof(REAL))
#if COLUMNS % (16 / REAL_BYTES)
#define STEP 1
#define STRIDE (COLUMNS | 1)  // odd: threads that read the same column of neighbouring rows use different banks
#else
#define STEP PACKED
#define STRIDE ((COLUMNS / PACKED | 1) * PACKED)  // the same for sixteen bytes at once
#endif

struct __align__(16) Pack {
    REAL value[PACKED];
};

__device__ inline void take_tile(REAL* tile, const REAL* X, long long number, long long n_rows) {
    const long long first = number * ROWS;
    const int n_here = (int)(n_rows - first < ROWS ? n_rows - first : ROWS);
    const REAL* const source = X + first * COLUMNS;
#pragma unroll 8
    for (int m = threadIdx.x * STEP; m < ROWS * COLUMNS; m += THREADS * STEP)
        if (m < n_here * COLUMNS)
            copy_begins<STEP * REAL_BYTES>(tile + m / COLUMNS * STRIDE + m % COLUMNS, source + m);
    copies_begun();
}

__device__ inline REAL of_tile(const REAL* tile, int row, int column, const REAL* shift) {
    return SHIFTED ? tile[row * STRIDE + column] - shift[column] : tile[row * STRIDE + column];
}

// Shared memory, in this order: centres, column by column (COLUMNS x padded), their squared lengths (padded), the tile
// (ROWS x STRIDE), the shift (COLUMNS if SHIFTED), sums (GROUPS x k x COLUMNS), weights (GROUPS x k if WEIGHTED),
// where the rows' sums begin (ROWS), numbers of rows (k unless WEIGHTED); padded: k up to a multiple of CENTERS.
extern "C" __global__ void __launch_bounds__(THREADS) lloyd(
    const REAL* __restrict__ X,        // n_rows x COLUMNS
    const REAL* __restrict__ weights,  // n_rows; null unless WEIGHTED
    const REAL* __restrict__ shift,    // COLUMNS, subtracted from each row; null unless SHIFTED
    const REAL* __restrict__ centers,  // k x COLUMNS, relative to the shift
    const long long n_rows,
    const int k,
    double* __restrict__ sums,       // blocks of threads x (k x COLUMNS sums, then k weights); or null
    double* __restrict__ inertia,    // blocks of threads; or null
    int* __restrict__ labels,        // n_rows; or null
    REAL* __restrict__ distances) {  // n_rows, squared, to the nearest centre; or null
    extern __shared__ __align__(16) unsigned char memory[];
    const int padded = (k + CENTERS - 1) / CENTERS * CENTERS;
    REAL* const transposed = (REAL*)memory;
    REAL* const lengths = transposed + COLUMNS * padded;
    REAL* const tile = lengths + padded;
    REAL* const shift_here = tile + ROWS * STRIDE;
    REAL* const total = shift_here + (SHIFTED ? COLUMNS : 0);
    REAL* const weight_of = total + (sums ? GROUPS * k * COLUMNS : 0);
    int* const place_of = (int*)(weight_of + (sums && WEIGHTED ? GROUPS * k : 0));
    int* const count_of = place_of + ROWS;
    const int thread = threadIdx.x;

    const long long n_tiles = (n_rows + ROWS - 1) / ROWS;
    for (int i = thread; i < padded * COLUMNS; i += THREADS) {
        const int column = i / padded, center = i % padded;
        transposed[i] = center < k ? centers[center * COLUMNS + column] : (REAL)0;
    }
    for (int i = thread; sums && i < GROUPS * k * (COLUMNS + WEIGHTED); i += THREADS) total[i] = 0;
    for (int i = thread; sums && !WEIGHTED && i < k; i += THREADS) count_of[i] = 0;
    for (int i = thread; SHIFTED && i < COLUMNS; i += THREADS) shift_here[i] = shift[i];
    __syncthreads();
    for (int center = thread; center < padded; center += THREADS) {
        REAL length = 0;
        for (int j = 0; j < COLUMNS; ++j) length += transposed[j * padded + center] * transposed[j * padded + center];
        lengths[center] = center < k ? length : LARGEST;
    }

    const int group = thread / COLUMNS, own = thread % COLUMNS;
    double apart = 0;
    for (long long number = blockIdx.x; number < n_tiles; number += gridDim.x) {
        const long long first = number * ROWS;
        const int n_here = (int)(n_rows - first < ROWS ? n_rows - first : ROWS);
        take_tile(tile, X, number, n_rows);
        copies_end<0>();
        __syncthreads();

        REAL least = LARGEST;
        int nearest = 0;
        for (int begin = 0; begin < padded; begin += CENTERS) {
            REAL product[CENTERS] = {};
#pragma unroll 4
            for (int j = 0; j < COLUMNS; j += STEP) {
                const REAL* const here = tile + thread * STRIDE + j;
                REAL x[STEP];
                if (STEP > 1) {
                    const Pack pack = *(const Pack*)here;
#pragma unroll
                    for (int s = 0; s < STEP; ++s) x[s] = pack.value[s];
                } else {
                    x[0] = *here;
                }
#pragma unroll
                for (int s = 0; SHIFTED && s < STEP; ++s) x[s] -= shift_here[j + s];
#pragma unroll
                for (int s = 0; s < STEP; ++s) {
                    const Pack* const packs = (const Pack*)(transposed + (j + s) * padded + begin);
#pragma unroll
                    for (int p = 0; p < CENTERS / PACKED; ++p) {
                        const Pack pack = packs[p];
#pragma unroll
                        for (int q = 0; q < PACKED; ++q) product[p * PACKED + q] += x[s] * pack.value[q];
                    }
                }
            }
#pragma unroll
            for (int q = 0; q < CENTERS; ++q) {
                const REAL distance = lengths[begin + q] - 2 * product[q];
                if (distance < least) {
                    least = distance;
                    nearest = begin + q;
                }
            }
        }
        place_of[thread] = nearest * COLUMNS;
        if (thread < n_here) {
            const long long row = first + thread;
            if (sums && !WEIGHTED) atomicAdd(count_of + nearest, 1);
            if (labels) labels[row] = nearest;
            if (inertia || distances) {
                REAL squares = 0;
                for (int j = 0; j < COLUMNS; ++j) {
                    const REAL difference = of_tile(tile, thread, j, shift_here) - transposed[j * padded + nearest];
                    squares += difference * difference;
                }
                if (distances) distances[row] = squares;
                apart += WEIGHTED ? (double)squares * (double)weights[row] : (double)squares;
            }
        }
        __syncthreads();
        if (sums && group < GROUPS) {
            REAL* const sum = total + group * k * COLUMNS + own;
            REAL* const weight = weight_of + group * k;
            // Places and numbers of some rows first: the sums may be the same ones, and wait for each other.
            for (int row = group; row < n_here; row += AT_ONCE * GROUPS) {
                int place[AT_ONCE];
                REAL x[AT_ONCE], heavy[AT_ONCE];
                if (ROWS % (AT_ONCE * GROUPS) == 0 && n_here == ROWS) {
#pragma unroll
                    for (int i = 0; i < AT_ONCE; ++i) {
                        const int each = row + i * GROUPS;
                        place[i] = place_of[each];
                        x[i] = of_tile(tile, each, own, shift_here);
                        if (WEIGHTED) heavy[i] = weights[first + each];
                    }
                } else {
#pragma unroll
                    for (int i = 0; i < AT_ONCE; ++i) {
                        const int each = row + i * GROUPS;
                        const bool here = each < n_here;
                        place[i] = here ? place_of[each] : 0;
                        x[i] = here ? of_tile(tile, each, own, shift_here) : (REAL)0;
                        if (WEIGHTED) heavy[i] = here ? weights[first + each] : (REAL)0;
                    }
                }
#pragma unroll
                for (int i = 0; i < AT_ONCE; ++i) sum[place[i]] += WEIGHTED ? heavy[i] * x[i] : x[i];
                if (WEIGHTED && !own)
#pragma unroll
                    for (int i = 0; i < AT_ONCE; ++i) weight[place[i] / COLUMNS] += heavy[i];
            }
        }
        __syncthreads();  // everybody is done with the tile: it may be overwritten
    }

    const long long block = blockIdx.x;
    double* const ours = sums + block * k * (COLUMNS + 1);
    for (int i = thread; sums && i < k * COLUMNS; i += THREADS) {
        double found = 0;
        for (int g = 0; g < GROUPS; ++g) found += (double)total[g * k * COLUMNS + i];
        ours[i] = found;
    }
    for (int i = thread; sums && i < k; i += THREADS) {
        double found = WEIGHTED ? 0 : (double)count_of[i];
        for (int g = 0; WEIGHTED && g < GROUPS; ++g) found += (double)weight_of[g * k + i];
        ours[k * COLUMNS + i] = found;
    }
    if (inertia) {
        double* const parts = (double*)memory;
        __syncthreads();  // everybody is done with the sums
        parts[thread] = apart;
        __syncthreads();
        if (!thread) {
            double found = 0;
            for (int i = 0; i < THREADS; ++i) found += parts[i];
            inertia[block] = found;
        }
    }
}
