// One pass of Lloyd's algorithm over a block, as in lloyd.cu, for few clusters of float: tensor cores multiply ("3xTF32",
// see device.cuh). Each row is read from the GPU's memory once.
//
// A warp takes 16 rows at a time, and works for itself. Distances are ||c||^2 - 2 x.c, with the rows on the left of a
// multiplication and eight centres on its right. Sums per cluster are a product as well: on the left, a row has 1 (or its
// weight) for its cluster and 0 for the others; on the right, it is as it was read. For the first, thread 4 g + t has
// some columns of rows g and g + 8, for the second, one of eight columns of rows t and t + 4. While a warp computes, the
// next rows are under way to shared memory.
//
// No atomic operations: the same rows and centres give the same sums bit by bit.
//
// Given when it is compiled: COLUMNS, STEP (columns that are copied at once), TILES (of eight columns), GROUPS (of sixteen
// centres), AHEAD (turns that are under way), SHIFTED, WEIGHTED, SUMMED and APART (0 or 1; APART: inertia or distances are
// wanted), THREADS.

#define ROWS 16
#define WARPS (THREADS / 32)
#define PADDED (TILES * 8)
#define CENTERS (GROUPS * 16)
#define STRIDE (PADDED + 8)                       // of rows in shared memory: neighbours use different banks
#define NEAR (TILES % 2 ? 2 : 4)                  // neighbouring columns of a thread, as parts of distances
#define WIDE (TILES % 4 ? TILES % 2 ? 1 : 2 : 4)  // and of sums
#define EACH (2 * TILES)                          // columns that it has of a row, as parts of distances
#define HELD (GROUPS == 1 && TILES <= 4)          // whether the factors of all centres are in registers
#define LARGEST 3.4028234e38f

template <int N>
struct __align__(N * 4) Pack {
    float value[N];
};

struct __align__(16) Factor {
    float large[2], small[2];
};

__device__ inline int thread_of_warp() { return threadIdx.x % 32; }

// Where a number of a turn's rows is in shared memory.
__device__ inline int place_of(int number) { return number / COLUMNS * STRIDE + number % COLUMNS; }

// Which column a thread has as its e-th part of a distance, and which one is the g-th of a tile of sums.
__device__ inline int near_column(int e, int t) { return (e / NEAR * 4 + t) * NEAR + e % NEAR; }
__device__ inline int wide_column(int tile, int g) { return (tile / WIDE * 8 + g) * WIDE + tile % WIDE; }

// Begins to copy this thread's part of a turn's rows, whose first numbers are at "from" and go to "to".
__device__ inline void fetch(float* to, const float* from, int n_here) {
    const int begin = thread_of_warp() * STEP;
#pragma unroll
    for (int i = 0; i < ROWS * COLUMNS; i += 32 * STEP) {
        // Where threads go on by whole rows, that is so much further; where not, it has to be computed.
        const int place = 32 * STEP % COLUMNS ? place_of(begin + i) - place_of(begin) : i / COLUMNS * STRIDE;
        if (i + begin < n_here * COLUMNS) copy_begins<STEP * 4>(to + place, from + i);
    }
    copies_begun();
}

// Adds left x right to sums, of which each has a large and a small part.
__device__ inline void multiply_both(
    float* sums, const float* large, const float* small, const float* right_large, const float* right_small) {
    multiply(sums, small, right_large);
    multiply(sums, large, right_small);
    multiply(sums, large, right_large);
}

// Shared memory, in this order: factors of distances (2 GROUPS x TILES x 32), centres (CENTERS x PADDED), their squared
// lengths (CENTERS), rows under way (WARPS x AHEAD x ROWS x STRIDE). In the end, in their place, in double: inertias (THREADS),
// and if SUMMED sums and weights (CENTERS x PADDED, CENTERS).
extern "C" __global__ void __launch_bounds__(THREADS) lloyd_few(
    const float* __restrict__ X,        // n_rows x COLUMNS
    const float* __restrict__ weights,  // n_rows; null unless WEIGHTED
    const float* __restrict__ shift,    // COLUMNS, subtracted from each row; null unless SHIFTED
    const float* __restrict__ centers,  // k x COLUMNS, relative to the shift
    const long long n_rows,
    const int k,
    double* __restrict__ sums,        // blocks of threads x (k x COLUMNS sums, then k weights); null unless SUMMED
    double* __restrict__ inertia,     // blocks of threads; or null
    int* __restrict__ labels,         // n_rows; or null
    float* __restrict__ distances) {  // n_rows, squared, to the nearest centre; or null
    extern __shared__ __align__(16) unsigned char memory[];
    Factor* const factors = (Factor*)memory;
    float* const centers_here = (float*)(factors + 2 * GROUPS * TILES * 32);
    float* const lengths = centers_here + CENTERS * PADDED;
    float* const tiles = lengths + CENTERS;
    const int warp = threadIdx.x / 32, thread = thread_of_warp(), g = thread / 4, t = thread % 4;
    float* const own_tiles = tiles + warp * AHEAD * ROWS * STRIDE;

    for (int i = threadIdx.x; i < WARPS * AHEAD * ROWS * STRIDE; i += THREADS) tiles[i] = 0;  // columns beyond the last
    for (int i = threadIdx.x; i < CENTERS * PADDED; i += THREADS) {
        const int center = i / PADDED, column = i % PADDED;
        centers_here[i] = center < k && column < COLUMNS ? centers[center * COLUMNS + column] : 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 2 * GROUPS * TILES * 32; i += THREADS) {
        const float* const center = centers_here + (i / (TILES * 32) * 8 + i % 32 / 4) * PADDED;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float value = center[near_column(i / 32 % TILES * 2 + half, i % 4)];
            factors[i].large[half] = rounded(value);
            factors[i].small[half] = value - rounded(value);
        }
    }
    for (int center = threadIdx.x; center < CENTERS; center += THREADS) {
        float length = 0;
        for (int j = 0; j < COLUMNS; ++j) length += centers_here[center * PADDED + j] * centers_here[center * PADDED + j];
        lengths[center] = center < k ? length : LARGEST;
    }
    __syncthreads();

#if HELD
    Factor held[2][TILES];
#pragma unroll
    for (int i = 0; i < 2 * TILES; ++i) held[i / TILES][i % TILES] = factors[i * 32 + thread];
#endif
    float near_shift[EACH], wide_shift[TILES];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int column = near_column(e, t);
        near_shift[e] = SHIFTED && column < COLUMNS ? shift[column] : 0;
    }
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
        const int column = wide_column(tile, g);
        wide_shift[tile] = SHIFTED && column < COLUMNS ? shift[column] : 0;
    }

    float total[GROUPS][TILES][4] = {}, weight_of[GROUPS][2] = {};
    double cost = 0;
    // Turns have ROWS rows, the last one perhaps fewer, and those after it none.
    const long long step = (long long)gridDim.x * WARPS * ROWS, begin = ((long long)blockIdx.x * WARPS + warp) * ROWS;
    const int n_turns = begin < n_rows ? (int)((n_rows - begin + step - 1) / step) : 0;
    const long long n_left = n_rows - begin - (n_turns - 1) * step;
    const int n_last = n_left < ROWS ? (int)n_left : ROWS;
    const auto n_rows_of = [&](int turn) { return turn + 1 < n_turns ? ROWS : turn < n_turns ? n_last : 0; };
    const float* from = X + begin * COLUMNS + thread * STEP;
    float* const to = own_tiles + place_of(thread * STEP);
    for (int i = 0; i < AHEAD; ++i, from += step * COLUMNS) fetch(to + i * ROWS * STRIDE, from, n_rows_of(i));
    for (int turn = 0, at = 0; turn < n_turns; ++turn, from += step * COLUMNS, at = at + 1 < AHEAD ? at + 1 : 0) {
        const int n_here = n_rows_of(turn);
        const long long first = begin + turn * step;
        float* const tile_here = own_tiles + at * ROWS * STRIDE;
        copies_end<AHEAD - 1>();
        warp_is_here();

        // The nearest centre of rows g and g + 8.
        float x[2][EACH];
#pragma unroll
        for (int r = 0; r < 2; ++r)
#pragma unroll
            for (int e = 0; e < EACH; e += NEAR) {
                const Pack<NEAR> pack = *(const Pack<NEAR>*)(tile_here + (g + 8 * r) * STRIDE + near_column(e, t));
#pragma unroll
                for (int i = 0; i < NEAR; ++i) x[r][e + i] = pack.value[i] - near_shift[e + i];
            }
        float least[2] = {LARGEST, LARGEST};
        int nearest[2] = {0, 0};
#pragma unroll 1
        for (int group = 0; group < GROUPS; ++group) {
            float product[2][4] = {};  // with sixteen centres
#pragma unroll
            for (int s = 0; s < TILES; ++s) {
                const float left[4] = {x[0][2 * s], x[1][2 * s], x[0][2 * s + 1], x[1][2 * s + 1]};
                float large[4], small[4];
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    large[i] = rounded(left[i]);
                    small[i] = left[i] - large[i];
                }
#pragma unroll
                for (int half = 0; half < 2; ++half) {
#if HELD
                    const Factor& right = held[half][s];
#else
                    const Factor right = factors[((group * 2 + half) * TILES + s) * 32 + thread];
#endif
                    multiply_both(product[half], large, small, right.large, right.small);
                }
            }
#pragma unroll
            for (int half = 0; half < 2; ++half)
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    const int center = (group * 2 + half) * 8 + 2 * t + i % 2;
                    const float distance = lengths[center] - 2 * product[half][i];
                    if (distance < least[i / 2]) {
                        least[i / 2] = distance;
                        nearest[i / 2] = center;
                    }
                }
        }
#pragma unroll
        for (int r = 0; r < 2; ++r) {  // of the four threads of a row; the first of equal ones
            float nearer = fminf(least[r], of_thread(least[r], thread ^ 1));
            nearer = fminf(nearer, of_thread(nearer, thread ^ 2));
            if (least[r] != nearer) nearest[r] = CENTERS;
            nearest[r] = min(nearest[r], of_thread(nearest[r], thread ^ 1));
            nearest[r] = min(nearest[r], of_thread(nearest[r], thread ^ 2));
        }

#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const int row = g + 8 * r;
            const bool answers = t == 0 && row < n_here;
            if (labels && answers) labels[first + row] = nearest[r];
            if (APART) {
                float squares = 0;
#pragma unroll
                for (int e = 0; e < EACH; ++e) {
                    const float difference = x[r][e] - centers_here[nearest[r] * PADDED + near_column(e, t)];
                    squares += difference * difference;
                }
                squares += of_thread(squares, thread ^ 1);
                squares += of_thread(squares, thread ^ 2);
                if (distances && answers) distances[first + row] = squares;
                if (answers) cost += WEIGHTED ? (double)squares * (double)weights[first + row] : (double)squares;
            }
        }

        if (SUMMED) {
            float large[2][TILES][2], small[2][TILES][2], heavy[2][2];
            int cluster[2][2];
#pragma unroll
            for (int r = 0; r < 2; ++r)
                if (g + 8 * r >= n_here) nearest[r] = -1;  // no such row
#pragma unroll
            for (int r = 0; r < 2; ++r)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const int row = t + 4 * half, row_here = row + 8 * r;
                    cluster[r][half] = of_thread(nearest[r], 4 * row);
                    heavy[r][half] = !WEIGHTED ? 1 : row_here < n_here ? weights[first + row_here] : 0;
#pragma unroll
                    for (int tile = 0; tile < TILES; tile += WIDE) {
                        const float* const own = tile_here + row_here * STRIDE + wide_column(tile, g);
                        const Pack<WIDE> pack = *(const Pack<WIDE>*)own;
#pragma unroll
                        for (int i = 0; i < WIDE; ++i) {
                            const float value = pack.value[i] - wide_shift[tile + i];
                            large[r][tile + i][half] = rounded(value);
                            small[r][tile + i][half] = value - large[r][tile + i][half];
                        }
                    }
                }
#pragma unroll
            for (int group = 0; group < GROUPS; ++group) {
                float belongs[2][4], rest[2][4];
#pragma unroll
                for (int r = 0; r < 2; ++r)
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        const float value = cluster[r][i / 2] == group * 16 + i % 2 * 8 + g ? heavy[r][i / 2] : 0;
                        belongs[r][i] = WEIGHTED ? rounded(value) : value;
                        rest[r][i] = value - belongs[r][i];
                        weight_of[group][i % 2] += value;
                    }
#pragma unroll
                for (int tile = 0; tile < TILES; ++tile) {
                    float found[4] = {};
#pragma unroll
                    for (int r = 0; r < 2; ++r) {
                        if (WEIGHTED) multiply(found, rest[r], large[r][tile]);
                        multiply(found, belongs[r], small[r][tile]);
                        multiply(found, belongs[r], large[r][tile]);
                    }
#pragma unroll
                    for (int i = 0; i < 4; ++i) total[group][tile][i] += found[i];
                }
            }
        }
        warp_is_here();  // everybody is done with these rows
        fetch(to + at * ROWS * STRIDE, from, n_rows_of(turn + AHEAD));
    }

    // One warp after the other adds what it has found.
    double* const all_costs = (double*)memory;
    double* const all = all_costs + THREADS;
    double* const all_weights = all + CENTERS * PADDED;
    __syncthreads();
    all_costs[threadIdx.x] = cost;
    for (int i = threadIdx.x; SUMMED && i < CENTERS * (PADDED + 1); i += THREADS) all[i] = 0;
    __syncthreads();
    for (int turn = 0; SUMMED && turn < WARPS; ++turn, __syncthreads()) {
        if (turn != warp) continue;
#pragma unroll
        for (int group = 0; group < GROUPS; ++group)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int center = group * 16 + i / 2 * 8 + g;
#pragma unroll
                for (int tile = 0; tile < TILES; ++tile)
                    all[center * PADDED + wide_column(tile, 2 * t + i % 2)] += (double)total[group][tile][i];
                if (i % 2) continue;
                double weight = (double)weight_of[group][i / 2];
                weight += of_thread(weight, thread ^ 1);
                weight += of_thread(weight, thread ^ 2);
                if (t == 0) all_weights[center] += weight;
            }
    }
    double* const ours = sums + blockIdx.x * (long long)k * (COLUMNS + 1);
    for (int i = threadIdx.x; SUMMED && i < k * COLUMNS; i += THREADS) ours[i] = all[i / COLUMNS * PADDED + i % COLUMNS];
    for (int i = threadIdx.x; SUMMED && i < k; i += THREADS) ours[k * COLUMNS + i] = all_weights[i];
    if (inertia && threadIdx.x == 0) {
        double found = 0;
        for (int i = 0; i < THREADS; ++i) found += all_costs[i];
        inertia[blockIdx.x] = found;
    }
}
