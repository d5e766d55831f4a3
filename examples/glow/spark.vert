// Sparks of seven shells. The vertices of a spark are its trail, from the middle of the shell to the spark.
uniform vec2 size;
uniform int mirrored; // 1: the reflection in the water

out vec3 colour;

const int SPARKS = 130, STEPS = 150;
const float HORIZON = 0.24;

// A random number in 0 … 1 (PCG, O'Neill 2014).
float noise(int number, int kind)
{
    uint state = uint(number) * 747796405u + uint(kind) * 2891336453u + 1u;
    uint word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
    return float((word >> 22) ^ word) / 4294967295.0;
}

vec3 hue(int burst)
{
    float turn = 6.2832 * (noise(burst, 3) + float(burst) / 7.0);
    return pow(0.52 + 0.48 * cos(vec3(turn, turn - 2.1, turn + 2.1)), vec3(1.6));
}

void main()
{
    int burst = gl_VertexID / (SPARKS * STEPS), spark = gl_VertexID / STEPS;
    float t = float(gl_VertexID % STEPS) / float(STEPS - 1);
    float wide = size.x / size.y, age = 0.5 + 0.5 * noise(burst, 2);
    vec2 middle = vec2(wide * (0.1 + 0.8 * fract(0.618 * float(burst) + 0.2)), 0.52 + 0.34 * noise(burst, 1));

    // Sparks leave evenly in all directions of space and are projected onto the sky.
    float z = 2.0 * noise(spark, 4) - 1.0, around = 6.2832 * noise(spark, 5);
    vec2 direction = sqrt(1.0 - z * z) * vec2(cos(around), sin(around));
    float flown = age * t, reach = 0.24 * (0.85 + 0.15 * noise(spark, 6)) * (1.0 - exp(-2.2 * flown)) / 0.9;
    vec2 place = middle + direction * reach - vec2(0.0, 0.09 * flown * flown);

    float rest = exp(-6.0 * (1.0 - t)), twinkle = noise(gl_VertexID, 7);
    float head = step(0.992, t);
    colour = hue(burst) * rest * (0.3 + 1.4 * twinkle * twinkle) * 0.5 +
             mix(hue(burst), vec3(1.0), 0.4) * head * 7.0;
    if (mirrored == 1) {
        float below = place.y - HORIZON;
        place = vec2(place.x + 0.012 * sin(260.0 * below + 30.0 * place.x) * below, HORIZON - below * 0.9);
        colour *= 0.12;
    }
    gl_PointSize = max(1.0, size.y / 450.0);
    gl_Position = vec4(2.0 * place.x / wide - 1.0, 2.0 * place.y - 1.0, 0.0, 1.0);
}
