//! The tables with kernels of their own, as `tests/generated` lists them.

crate::kernels::tables! {
    machine_cpu "3c5ca7df8d68769c3944e322861dc4e66ce8c8d17523b78767284d6c00996df6",
    machine_memory "0c03609188d59e03708762d26aae7e170f430e3111fd95b688327daf8815fe41",
    machine_subword "52c3a45ffc81ead7d824113d495c1ff6c867fddbdc8da60f45b10ca46d4eb76e",
    machine_misaligned "3e90d5c757f4799c872d1373c089ad369d49d095ce41e16fffbd6ea720702978",
    machine_io "2c25da7549afe4dc7a3eadf856f3c1978c55ca17639dc51aa5064ea583a4f5db",
    machine_boundary "16900c072ac0284c343d24b1b73133bb16f93838b75ffd32b67834a78d2b6709",
    machine_compare "1068130537f855e0f249563bcad75cc20e5da7ba37f94ae73a0a2fee6526c11d",
    machine_bitwise "26b75f74009eb72b39f59c3ce70443136dd5c77729d9df00f17d9bcbaa10ba98",
    machine_shift "ae1f44eb94c685bb2dfd134b1182f570bc6cdbcd58029b53b4e4805c85a0e5a2",
    machine_word "b894409048fb2d51a33171a513a30ef0d722e0bec95f56e40fd85533f3458356",
    machine_mul "e6278afea58e4c2ff94684dc99db3eb582b7693b3a49b9c8d67bcd6e8f8e4736",
    machine_divrem "aa4186e2fe1351b2f5a4a86e9447c9c63817dc88f81b37f9ed349fa5f57ca866",
    machine_registers "9f07619021d8d344f391e1f0b3e39dd587fffa1ad0016a63471ec69eef0cfcd5",
    machine_rom "c7874326ff9f713ef20d99d07d05d9ba37b3b4f437fa13a36ff89290aa707e37",
    machine_image "5a61a983b03fce2cf3d987ff3f2b505d0af77157e1726a5d91e124271162dcde",
    machine_range16 "bcef01e2b74a5b14cec2071161edbe68a7686619bd2af51d992228bc7a4fb134",
    machine_bytepair "ea9e5f5d14e52527f8592b2ad6bf1ef83a1a40a8ef0e36c9ee8f9705331611aa",
    machine_power "d89df9717541d197ad4be4fcd69864577c5ab8cae90065bc54a2cc66a261ac93",
    demo_fibonacci "bbc9d18777cf66a38d476bb7571599c6e1fe89d0fa28174d6b1b502c56727708",
    demo_keccak "032a38eea3a26e804e701d3a38a0439197d997652132b7fd8e3fcc920d625e30",
}
